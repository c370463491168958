//! Real requests to a server that speaks S3, through a proxy that makes trouble.

use super::site::{Site, can_hide};
use std::io::Read as _;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server and a proxy before it, which end with the test.
struct Bucket {
    server: Child,
    proxy: Child,
    _folder: tempfile::TempDir,
    port: u16,
}

impl Drop for Bucket {
    fn drop(&mut self) {
        for child in [&mut self.proxy, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The program of moto's server, where `./test` or the user put it.
fn moto() -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let named = std::env::var_os("MOTO_SERVER").map(PathBuf::from);
    let own = tools.join("moto/bin/moto_server");
    let found = named.or_else(|| own.exists().then_some(own));
    if found.is_none() {
        eprintln!(
            "skipped: no server for S3 (`./test` installs `moto[server]`; MOTO_SERVER names another)"
        );
    }
    found
}

/// Whether the program that is tested reaches buckets.
fn reaches_buckets() -> bool {
    let program = env!("CARGO_BIN_EXE_fairtrial");
    let output = Command::new(program)
        .args(["self", "version"])
        .output()
        .unwrap();
    let reaches = String::from_utf8_lossy(&output.stdout).contains("store");
    if !reaches {
        eprintln!("skipped: the program lacks the feature `store` (`./test` builds it)");
    }
    reaches
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_mins(2), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl Bucket {
    /// One named `bench`, with so many percent of each kind of trouble; absent where it cannot be made here.
    fn new(percent: u32) -> Option<Self> {
        if !can_hide() || !reaches_buckets() {
            return None;
        }
        let moto = moto()?;
        let folder = tempfile::tempdir().unwrap();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let there = free.local_addr().unwrap().port();
        drop(free);
        let server = Command::new(moto)
            .args(["-H", "127.0.0.1", "-p", &there.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until("the server answers", || {
            TcpStream::connect(("127.0.0.1", there)).is_ok()
        });
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stores/faults.py");
        let port_file = folder.path().join("port");
        let proxy = Command::new("python3")
            .arg(script)
            .args([&port_file, &folder.path().join("requests")])
            .args([&there.to_string(), "7", &percent.to_string()])
            .spawn()
            .unwrap();
        until("the proxy answers", || port_file.exists());
        let port = std::fs::read_to_string(&port_file)
            .unwrap()
            .parse()
            .unwrap();
        let bucket = Self {
            server,
            proxy,
            _folder: folder,
            port,
        };
        // Past the proxy: the bucket itself is no part of the test.
        let made = http(there, "PUT", "/bench");
        assert!(made.starts_with("HTTP/1.1 200"), "{made}");
        Some(bucket)
    }

    fn variables(&self) -> Vec<(String, String)> {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            own("AWS_ACCESS_KEY_ID", "a-key"),
            own("AWS_SECRET_ACCESS_KEY", "a-value-to-hide"),
            own("AWS_REGION", "us-east-1"),
            own(
                "AWS_ENDPOINT_URL",
                &format!("http://127.0.0.1:{}", self.port),
            ),
            own("AWS_ALLOW_HTTP", "true"),
        ]
    }

    fn site(&self, seeds: u32, work: &str, engine: &str) -> Site {
        let folder = tempfile::tempdir().unwrap();
        let url = "s3://bench/some/prefix".to_owned();
        Site::with_store(seeds, work, engine, url, self.variables(), folder)
    }

    /// What is in the bucket beside inputs.
    fn left(&self) -> Vec<String> {
        let listed = http(self.port, "GET", "/bench?list-type=2");
        let keys = listed.split("<Key>").skip(1);
        let keys = keys.filter_map(|rest| Some(rest.split_once("</Key>")?.0.to_owned()));
        keys.filter(|key| !key.contains("/inputs/")).collect()
    }
}

fn http(port: u16, verb: &str, path: &str) -> String {
    use std::io::Write as _;
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!(
        "{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_bucket_serves_as_a_folder_does_and_secrets_stay_out() {
    let Some(bucket) = Bucket::new(0) else { return };
    let site = bucket.site(12, "true", "");
    let found = site.expect(0, &["doctor", "--store", &site.url]);
    assert!(
        found.out.contains("the first writer of a name stays"),
        "{}",
        found.out
    );
    site.expect(0, &["run", "bench.toml"]);
    assert_eq!(site.ran().len(), 12);
    site.is_whole(12);
    assert_eq!(bucket.left(), Vec::<String>::new());
    let mut open = vec![
        site.project.path().join("data"),
        site.spool.path().to_owned(),
    ];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            let text = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(!text.contains("a-value-to-hide"), "{}", path.display());
        }
    }
}

#[test]
fn trouble_with_the_store_loses_and_repeats_nothing() {
    let Some(bucket) = Bucket::new(6) else { return };
    let site = bucket.site(24, "sleep 0.2", "");
    // Answers come late, and silence is no trouble of a store.
    let spec = site.project.read("bench.toml");
    site.project
        .write("bench.toml", &spec.replace("grace = '5s'", "grace = '30s'"));
    site.killed_once_it_has_submitted();
    for kill in 0..4 {
        let mut controller = site.command(&["wait", "bench"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500 + 400 * kill));
        let _ = controller.kill();
        controller.wait().unwrap();
    }
    site.expect(0, &["wait", "bench"]);
    site.is_whole(24);
    assert_eq!((site.ran().len(), site.records("infra")), (24, 0));
}

#[test]
fn what_is_wrong_with_a_bucket_is_told_before_anything_is_made() {
    let Some(bucket) = Bucket::new(0) else { return };
    let mut site = bucket.site(2, "true", "");
    let spec = site.project.read("bench.toml");
    let nothing_is_made = |site: &Site| {
        assert!(!site.project.path().join("data/rollouts/bench").exists());
        assert!(!site.spool.path().join("queue/calls").exists());
        assert_eq!(bucket.left(), Vec::<String>::new());
    };
    site.project.write(
        "bench.toml",
        &spec.replace("s3://bench", "s3://no-such-bucket"),
    );
    let said = site.expect(3, &["run", "bench.toml"]).err;
    assert!(said.contains("no such bucket"), "{said}");
    nothing_is_made(&site);
    site.project.write("bench.toml", &spec);
    // No credentials: neither variables nor a machine that has some.
    site.variables.retain(|(name, _)| !name.contains("KEY"));
    let said = site.expect(3, &["run", "bench.toml"]).err;
    assert!(said.contains("AWS_ACCESS_KEY_ID"), "{said}");
    nothing_is_made(&site);
}
