//! Buckets: S3 and what speaks like it, Google, Azure.

use crate::address::{StoreAddress, StorePlace};
use crate::backend::{Backend, Patience, StoredObject};
use crate::connection::Connector;
use crate::error::StoreError;
use futures_util::TryStreamExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
    RetryConfig,
};
use std::error::Error as _;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// A bucket.
pub(crate) struct Cloud {
    address: StoreAddress,
    client: Arc<dyn ObjectStore>,
    runtime: Runtime,
}

impl Cloud {
    pub(crate) fn open(address: &StoreAddress, patience: Patience) -> Result<Self, StoreError> {
        let (request, tries, most) = match patience {
            Patience::Short => (15, 2, 15),
            Patience::Long => (120, 8, 150),
        };
        let connector = Connector::new(Duration::from_secs(request));
        let retry = RetryConfig {
            backoff: BackoffConfig {
                max_backoff: Duration::from_secs(10),
                ..BackoffConfig::default()
            },
            max_retries: tries,
            retry_timeout: Duration::from_secs(most),
        };
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| StoreError::Failed {
            store: address.to_string(),
            action: "prepare to ask it",
            message: error.to_string(),
        })?;
        let client = client(address, connector, retry);
        let client = client.map_err(|error| words(address, "prepare to ask it", &error))?;
        Ok(Self {
            address: address.clone(),
            client,
            runtime,
        })
    }

    fn path(&self, name: &str) -> Path {
        let prefix = &self.address.prefix;
        if prefix.is_empty() {
            Path::from(name)
        } else {
            Path::from(format!("{prefix}/{name}"))
        }
    }

    /// Waits for an answer.
    fn ask<T>(
        &self,
        action: &'static str,
        asked: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StoreError> {
        let answer = self.runtime.block_on(asked);
        answer.map_err(|error| words(&self.address, action, &error))
    }
}

fn client(
    address: &StoreAddress,
    connector: Connector,
    retry: RetryConfig,
) -> object_store::Result<Arc<dyn ObjectStore>> {
    Ok(match &address.place {
        StorePlace::S3(bucket) => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(bucket);
            let builder = builder.with_retry(retry).with_http_connector(connector);
            Arc::new(builder.build()?)
        }
        StorePlace::Google(bucket) => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            let builder = builder.with_retry(retry).with_http_connector(connector);
            Arc::new(builder.build()?)
        }
        StorePlace::Azure(container) => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
            let builder = builder.with_retry(retry).with_http_connector(connector);
            Arc::new(builder.build()?)
        }
        // `Store` opens folders itself.
        StorePlace::Folder(_) => {
            return Err(Error::NotImplemented {
                operation: "open".to_owned(),
                implementer: "folder".to_owned(),
            });
        }
    })
}

impl Backend for Cloud {
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let payload = PutPayload::from(bytes.to_vec());
        let path = self.path(name);
        self.ask("write", self.client.put(&path, payload)).map(drop)
    }

    fn put_new(&self, name: &str, bytes: &[u8]) -> Result<bool, StoreError> {
        let payload = PutPayload::from(bytes.to_vec());
        let path = self.path(name);
        let options = PutOptions::from(PutMode::Create);
        let asked = async {
            match self.client.put_opts(&path, payload, options).await {
                Ok(_) => Ok(true),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
                Err(error) => Err(error),
            }
        };
        self.ask("write", asked)
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(name);
        let asked = async {
            match self.client.get(&path).await {
                Ok(found) => Ok(Some(found.bytes().await?.to_vec())),
                Err(error @ Error::NotFound { .. }) if !no_bucket(&chain(&error)) => Ok(None),
                Err(error) => Err(error),
            }
        };
        self.ask("read", asked)
    }

    fn list(&self, below: &str) -> Result<Vec<StoredObject>, StoreError> {
        let path = self.path(below);
        let prefix = &self.address.prefix;
        let asked = async {
            let mut listed = self.client.list(Some(&path));
            let mut found = Vec::new();
            while let Some(object) = listed.try_next().await? {
                let name = object.location.as_ref();
                let name = name.strip_prefix(prefix.as_str()).unwrap_or(name);
                found.push(StoredObject {
                    name: name.trim_start_matches('/').to_owned(),
                    tag: object.e_tag.unwrap_or_default(),
                    written: object.last_modified.into(),
                });
            }
            Ok(found)
        };
        self.ask("list", asked)
    }

    fn delete(&self, names: &[String]) -> Result<(), StoreError> {
        let paths: Vec<_> = names.iter().map(|name| Ok(self.path(name))).collect();
        let asked = async {
            let mut gone = self
                .client
                .delete_stream(Box::pin(futures_util::stream::iter(paths)));
            loop {
                match gone.try_next().await {
                    Ok(Some(_)) | Err(Error::NotFound { .. }) => {}
                    Ok(None) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
        };
        self.ask("remove", asked)
    }
}

/// An error with its causes: what the server said stands in the innermost.
fn chain(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

fn no_bucket(text: &str) -> bool {
    ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"]
        .iter()
        .any(|sign| text.contains(sign))
}

fn words(address: &StoreAddress, action: &'static str, error: &Error) -> StoreError {
    let store = address.to_string();
    let text = chain(error);
    let message = said(&text);
    let says = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    if says(&["RequestTimeTooSkewed", "request time and the current time"]) {
        return StoreError::Time { store, message };
    }
    if no_bucket(&text) {
        return StoreError::NoBucket { store, message };
    }
    let no_key = says(&[
        "InvalidAccessKeyId",
        "Missing AccessKeyId",
        "Missing SecretAccessKey",
        "SignatureDoesNotMatch",
        "instance metadata",
        "metadata endpoint",
        "169.254.169.254",
        "AccessDenied",
        "NotSignedUp",
        "InvalidToken",
        "ExpiredToken",
    ]);
    let denied = matches!(
        error,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
    );
    if no_key || denied {
        return StoreError::Denied {
            store,
            action,
            message,
            from: address.credentials(),
        };
    }
    StoreError::Failed {
        store,
        action,
        message,
    }
}

/// What a server said, without the form that it came in.
fn said(text: &str) -> String {
    let within = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.to_owned())
    };
    let short: String = text.chars().take(400).collect();
    match (within("Code"), within("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code,
        _ => short,
    }
}
