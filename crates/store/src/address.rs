//! Where a store is, as a spec names it.

use crate::error::StoreError;
use std::fmt;
use std::path::PathBuf;

/// The feature of a build that reaches buckets.
pub const FEATURE: &str = "store";

/// A bucket with a prefix, or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreAddress {
    pub(crate) place: StorePlace,
    /// The prefix inside of a bucket, without `/` at either end.
    pub(crate) prefix: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StorePlace {
    S3(String),
    Google(String),
    Azure(String),
    Folder(PathBuf),
}

impl StoreAddress {
    /// Reads `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix` or `file:///folder`. Nothing that could be
    /// a secret has a place in it.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let wrong = |message: &str| StoreError::Address {
            text: text.to_owned(),
            message: message.to_owned(),
        };
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| wrong("it begins with none of `s3://`, `gs://`, `az://`, `file://`"))?;
        if rest.contains(['?', '#', '@']) {
            return Err(wrong(
                "only a name and a prefix stand in it: credentials come from the environment",
            ));
        }
        if scheme == "file" {
            if !rest.starts_with('/') {
                return Err(wrong("a folder is named from `/`: `file:///folder`"));
            }
            return Ok(Self {
                place: StorePlace::Folder(PathBuf::from(rest)),
                prefix: String::new(),
            });
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let usual = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if bucket.is_empty() || !bucket.chars().all(usual) {
            return Err(wrong("it names no bucket"));
        }
        let prefix = prefix.trim_matches('/');
        let plain = |part: &str| !part.is_empty() && part != "." && part != "..";
        if !prefix.is_empty()
            && !prefix
                .split('/')
                .all(|part| plain(part) && part.chars().all(usual))
        {
            return Err(wrong(
                "a prefix has letters, digits, `-`, `_`, `.` and single `/` between them",
            ));
        }
        let bucket = bucket.to_owned();
        let place = match scheme {
            "s3" => StorePlace::S3(bucket),
            "gs" => StorePlace::Google(bucket),
            "az" => StorePlace::Azure(bucket),
            _ => {
                return Err(wrong(
                    "it begins with none of `s3://`, `gs://`, `az://`, `file://`",
                ));
            }
        };
        Ok(Self {
            place,
            prefix: prefix.to_owned(),
        })
    }

    /// Whether it is a folder, which every build reaches.
    pub fn is_folder(&self) -> bool {
        matches!(self.place, StorePlace::Folder(_))
    }

    /// The names of the variables from which credentials come, for people.
    pub fn credentials(&self) -> &'static str {
        match self.place {
            StorePlace::S3(_) => {
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_REGION, and AWS_ENDPOINT_URL where it is not AWS), \
                 or the role of the machine; of a profile, `aws configure export-credentials --format env` prints them"
            }
            StorePlace::Google(_) => {
                "GOOGLE_APPLICATION_CREDENTIALS, or the account of the machine"
            }
            StorePlace::Azure(_) => {
                "AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, or the identity of the machine"
            }
            StorePlace::Folder(_) => "",
        }
    }
}

impl fmt::Display for StoreAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, bucket) = match &self.place {
            StorePlace::S3(bucket) => ("s3", bucket),
            StorePlace::Google(bucket) => ("gs", bucket),
            StorePlace::Azure(bucket) => ("az", bucket),
            StorePlace::Folder(path) => return write!(f, "file://{}", path.display()),
        };
        let slash = if self.prefix.is_empty() { "" } else { "/" };
        write!(f, "{scheme}://{bucket}{slash}{}", self.prefix)
    }
}

/// Whether this build reaches such a store.
pub fn is_in_this_build(address: &StoreAddress) -> bool {
    cfg!(feature = "cloud") || address.is_folder()
}

#[cfg(test)]
mod tests {
    use super::StoreAddress;

    #[test]
    fn addresses_are_read_and_written_the_same() {
        for text in [
            "s3://bucket",
            "s3://bucket/a/b",
            "gs://b-1/x",
            "az://c/x",
            "file:///mnt/odd",
        ] {
            assert_eq!(StoreAddress::parse(text).unwrap().to_string(), text);
        }
        let slash = StoreAddress::parse("s3://bucket/a/").unwrap();
        assert_eq!(slash.to_string(), "s3://bucket/a");
        for text in [
            "bucket",
            "s3://",
            "s3:///a",
            "ftp://a/b",
            "file://a",
            "s3://KEY:SECRET@bucket/a",
            "s3://b/a?x=1",
            "s3://b/a//b",
            "s3://b/../c",
        ] {
            assert!(StoreAddress::parse(text).is_err(), "{text}");
        }
    }
}
