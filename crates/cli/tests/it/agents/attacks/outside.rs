//! What a sandbox is given on purpose: some places of the network, some variables, the programs that an agent is made of.

use super::{Arena, Ground, in_each};
use crate::agents::lab::meta;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

/// A server that answers everybody.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let mut client = client;
            let mut head = [0; 4096];
            let _ = client.read(&mut head);
            let _ = client.write_all(b"HTTP/1.0 200 OK\r\n\r\nhello\n");
        }
    });
    port
}

fn only_what_is_allowed_is_reached(ground: &Ground) {
    ground.lab().task("t", &meta("t"));
    let (allowed, other) = (server(), server());
    let ask = "ask() { if command -v bash > /dev/null; then bash -c \"exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://localhost:$1/ HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3\"; \
               else (printf 'GET http://localhost:%s/ HTTP/1.0\\r\\n\\r\\n' $1; sleep 2) | nc 127.0.0.1 3128; fi; }\n";
    let direct = format!(
        "if command -v bash > /dev/null; then bash -c 'echo x > /dev/tcp/127.0.0.1/{allowed}' 2> /dev/null && echo direct; else nc -w 2 127.0.0.1 {allowed} < /dev/null && echo direct; fi"
    );
    let script = format!("{ask}ask {allowed}; ask {other}; {direct}; echo $HTTPS_PROXY");
    let left = ground.attack(
        &script,
        "",
        &format!("network = {{ allow = [\"localhost:{allowed}\"] }}"),
    );
    let log = &left.log;
    assert!(log.contains("hello"), "{log} {}", left.ran.err);
    assert!(
        log.contains("403 Forbidden") && !log.contains("direct"),
        "{log}"
    );
    assert!(log.contains("http://127.0.0.1:3128\n"), "{log}");
    let told = format!("the network refused what `allow` does not name: localhost:{other}");
    assert!(left.notes().contains(&told), "{}", left.notes());
}

fn the_tests_have_no_network_unless_it_is_given(ground: &Ground) {
    let port = server();
    let mut task = meta("t");
    let reach = format!(
        "if command -v bash > /dev/null; then bash -c 'echo x > /dev/tcp/127.0.0.1/{port}'; else echo x | nc -w 2 127.0.0.1 {port}; fi"
    );
    task["evaluation"]["test_scripts"][0]["content"] = reach.into();
    ground.lab().task("t", &task);
    let left = ground.attack("echo 42 > answer.txt", "", "");
    assert_eq!(left.score(), 0.25, "{}", left.row);
    if !ground.is_container() {
        let left = ground.attack(
            "echo 42 > answer.txt",
            "",
            "network = { agent = \"none\", tests = \"full\" }",
        );
        assert_eq!(left.score(), 1.0, "{}", left.row);
    }
}

fn variables_are_given_by_name(ground: &Ground) {
    let mut task = meta("t");
    task["evaluation"]["test_scripts"][0]["content"] =
        "test -z \"$CANARY_TOKEN\" && test \"$DECLARED\" = yes && test -z \"$SSL_CERT_FILE\""
            .into();
    ground.lab().task("t", &task);
    let look = "env | sort > answer.txt; test \"$CANARY_TOKEN\" = canary-in-the-environment";
    let more = "pass_env = [\"CANARY_*\"]\nenv = { DECLARED = \"yes\" }";
    let left = ground.attack(look, more, "");
    assert_eq!(left.row["outcome"], "ok", "{} {}", left.row, left.log);
    assert_eq!(left.score(), 1.0, "{}", left.row);
    let diff = std::fs::read_to_string(left.dir.join("artifacts/diff.patch")).unwrap();
    assert!(!diff.contains("canary-in-the-environment"), "{diff}");
    let left = ground.attack(look, "env = { DECLARED = \"yes\" }", "");
    assert_eq!(left.row["outcome"], "failed", "{}", left.row);
    let diff = std::fs::read_to_string(left.dir.join("artifacts/diff.patch")).unwrap();
    for name in [
        "SSL_CERT_FILE",
        "PYENV_ROOT",
        "CARGO",
        "FAIRTRIAL_DIR",
        "FAIRTRIAL_METRICS",
    ] {
        assert!(!diff.contains(&format!("+{name}")), "{diff}");
    }
}

in_each!(
    only_what_is_allowed_is_reached,
    the_tests_have_no_network_unless_it_is_given,
    variables_are_given_by_name,
);

/// An agent that is installed in a home: a link in `~/.local/bin`, an interpreter of its own, files beside it.
fn a_program_is_found_where_it_is(ground: &Ground) {
    let project = &ground.lab().project;
    ground.lab().task("t", &meta("t"));
    let home = project.path().join("home");
    let tool = "home/.local/share/tools/agent";
    project.write(&format!("{tool}/bin/interpreter"), "#!/bin/sh\n. \"$1\"\n");
    let line = format!("#!{}/bin/interpreter", project.path().join(tool).display());
    project.write(
        &format!("{tool}/bin/agent"),
        &format!(
            "{line}\ncat {}/lib/answer > answer.txt\n",
            project.path().join(tool).display()
        ),
    );
    project.write(&format!("{tool}/lib/answer"), "42\n");
    project.write("home/.ssh/id", "canary-of-the-home\n");
    let open = std::fs::Permissions::from_mode(0o755);
    for name in ["interpreter", "agent"] {
        let path = project.path().join(tool).join("bin").join(name);
        std::fs::set_permissions(path, open.clone()).unwrap();
    }
    std::fs::create_dir_all(home.join(".local/bin")).unwrap();
    std::os::unix::fs::symlink(
        project.path().join(tool).join("bin/agent"),
        home.join(".local/bin/agent"),
    )
    .unwrap();
    ground.lab().spec("name = \"b\"\n[[tasks]]\nprepared_dir = \"data/tasks/prepared/t\"\nsandbox = \"bubblewrap\"\nagent = { command = \"agent\" }\n");
    let path = format!("{}/.local/bin:/usr/bin:/bin", home.display());
    for command in ["check", "run"] {
        let mut command = ground.command(&[command, "configs/bench.toml"]);
        let out = command
            .env("HOME", &home)
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(out.status.success(), "{out:?}");
    }
    let (row, dir) = &ground.lab().rollouts("b")[0];
    let log = std::fs::read_to_string(dir.join("logs/agent.log")).unwrap();
    assert_eq!(row["metrics"]["score"], 1.0, "{row} {log}");
    // What is not there is refused by both alike.
    for command in ["check", "run"] {
        let mut command = ground.command(&[command, "configs/bench.toml"]);
        let out = command
            .env("HOME", &home)
            .env("PATH", "/usr/bin:/bin")
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(2), "{out:?}");
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(err.contains("`agent` is not found in PATH"), "{err}");
    }
    // So is a machine without the sandbox, which is never left out in silence.
    std::fs::create_dir(project.path().join("empty")).unwrap();
    for command in ["check", "run"] {
        let mut command = ground.command(&[command, "configs/bench.toml"]);
        let bare = format!(
            "{}/.local/bin:{}",
            home.display(),
            project.path().join("empty").display()
        );
        let out = command
            .env("HOME", &home)
            .env("PATH", bare)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(2), "{out:?}");
        let err = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(err.contains("`bwrap` is not installed"), "{err}");
    }
}

#[test]
fn a_program_is_found_as_root_and_as_a_user() {
    Ground::with(Arena::BubblewrapAsRoot, a_program_is_found_where_it_is);
    Ground::with(Arena::BubblewrapAsUser, a_program_is_found_where_it_is);
}
