//! `dist`: what is published. An archive with the program, its man pages, completions, licences and a list of what it is
//! built from; the wheel; and their checksums.

use crate::{Outcome, cargo, repository};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Build what is published: an archive, the wheel, and their checksums, in `target/published`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to build for; musl makes a program that needs no library
    #[arg(long, default_value = "x86_64-unknown-linux-musl")]
    target: String,
    /// Link with zig (`pip install ziglang` beside maturin) against glibc 2.17, where there is no musl: for
    /// `--target x86_64-unknown-linux-gnu`
    #[arg(long)]
    zig: bool,
    /// The maturin that makes the wheel [default: the one that `./test` installs, else the one on the path]
    #[arg(long)]
    maturin: Option<PathBuf>,
}

/// Shells with completions.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "fairtrial.bash"),
    ("zsh", "_fairtrial"),
    ("fish", "fairtrial.fish"),
];
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "LICENSE-APACHE",
    "LICENSE-MIT",
];

pub(crate) fn run(args: &Args) -> Outcome {
    // Not `target/dist`, which is cargo's own for the profile of that name.
    let out = repository().join("target/published");
    let own = repository().join("target/tools/python/bin/maturin");
    let maturin = args
        .maturin
        .clone()
        .unwrap_or_else(|| if own.exists() { own } else { "maturin".into() });
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    // The wheel first: it compiles the program, and writes the list of what that is built from.
    let mut wheel = Command::new(&maturin);
    wheel.args(["build", "--locked", "--target", &args.target, "--out"]);
    wheel.arg(&out).current_dir(repository().join("python"));
    if args.target.ends_with("-musl") {
        // A program without libraries runs with every C library.
        wheel.args([
            "--compatibility",
            "manylinux2014",
            "--compatibility",
            "musllinux_1_1",
        ]);
    }
    if args.zig {
        wheel.args(["--zig", "--compatibility", "manylinux2014"]);
    }
    succeed(&mut wheel)
        .map_err(|error| format!("{error}\n(`pip install maturin`, or --maturin)"))?;
    let man = out.join("man");
    let mut pages = cargo();
    pages.args([
        "run",
        "--locked",
        "--quiet",
        "--package",
        "fairtrial",
        "--example",
        "man",
        "--",
    ]);
    succeed(pages.arg(&man))?;
    let built = repository()
        .join("target")
        .join(&args.target)
        .join("dist/fairtrial");
    let name = format!("fairtrial-{}-{}", env!("CARGO_PKG_VERSION"), args.target);
    let archive = pack(
        &Parts {
            program: built,
            man: man.clone(),
            wheel: only_wheel(&out)?,
        },
        &out,
        &name,
    )?;
    fs::remove_dir_all(man)?;
    println!("{}", archive.display());
    checksums(&out)
}

/// What goes into an archive.
struct Parts {
    program: PathBuf,
    /// The folder of the man pages.
    man: PathBuf,
    /// The wheel, which holds the list of what the program is built from.
    wheel: PathBuf,
}

/// Makes the archive; gives its file.
fn pack(parts: &Parts, out: &Path, name: &str) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = out.join(name);
    fs::create_dir_all(folder.join("completions"))?;
    fs::copy(&parts.program, folder.join("fairtrial"))?;
    for document in DOCUMENTS {
        fs::copy(repository().join(document), folder.join(document))?;
    }
    for (shell, file) in SHELLS {
        let script = Command::new(&parts.program)
            .args(["completions", shell])
            .output()?;
        if !script.status.success() {
            return Err(format!("no completions for {shell}: {script:?}").into());
        }
        fs::write(folder.join("completions").join(file), script.stdout)?;
    }
    fs::create_dir_all(folder.join("man"))?;
    for page in fs::read_dir(&parts.man)? {
        let page = page?;
        fs::copy(page.path(), folder.join("man").join(page.file_name()))?;
    }
    let read = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); \
                sys.stdout.buffer.write(z.read(next(n for n in z.namelist() if n.endswith('.cyclonedx.json'))))";
    let mut list = Command::new("python3");
    let list = list.args(["-c", read]).arg(&parts.wheel).output()?;
    if !list.status.success() {
        return Err(format!("the wheel has no list of parts: {list:?}").into());
    }
    fs::write(folder.join("sbom.cyclonedx.json"), list.stdout)?;
    let archive = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--owner=0", "--group=0", "-czf"]).arg(&archive);
    succeed(tar.arg("-C").arg(out).arg(name))?;
    fs::remove_dir_all(folder)?;
    Ok(archive)
}

fn only_wheel(out: &Path) -> Result<PathBuf, Box<dyn std::error::Error>> {
    let wheels = fs::read_dir(out)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut wheels = wheels.filter(|path| path.extension().is_some_and(|end| end == "whl"));
    Ok(wheels.next().ok_or("maturin left no wheel")?)
}

/// Writes `SHA256SUMS` over the files there are, as `sha256sum -c` reads it.
fn checksums(out: &Path) -> Outcome {
    let mut names: Vec<_> = fs::read_dir(out)?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    names.sort();
    let sums = Command::new("sha256sum")
        .args(names)
        .current_dir(out)
        .output()?;
    if !sums.status.success() {
        return Err(format!("no checksums: {sums:?}").into());
    }
    Ok(fs::write(out.join("SHA256SUMS"), sums.stdout)?)
}

fn succeed(command: &mut Command) -> Outcome {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if !status.success() {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Parts, checksums, pack};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    #[test]
    fn the_notes_of_a_release_are_its_part_of_the_changelog() {
        let notes = |version: &str| {
            let script = crate::repository().join("packaging/release-notes.sh");
            let output = Command::new("sh").arg(script).arg(version).output();
            output.unwrap()
        };
        let open = notes("Unreleased");
        assert!(open.status.success() && !open.stdout.is_empty());
        assert!(!notes("no.such.version").status.success());
    }

    #[test]
    fn an_archive_holds_everything_and_its_checksum_is_right() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("man")).unwrap();
        fs::create_dir_all(at("out")).unwrap();
        fs::write(at("man/fairtrial.1"), ".TH fairtrial 1").unwrap();
        fs::write(
            at("fairtrial"),
            "#!/bin/sh\n[ \"$1\" = completions ] && echo for $2\n",
        )
        .unwrap();
        fs::set_permissions(at("fairtrial"), fs::Permissions::from_mode(0o755)).unwrap();
        let zip = "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').writestr('d/sboms/f.cyclonedx.json', '{}')";
        let made = Command::new("python3")
            .args(["-c", zip])
            .arg(at("w.whl"))
            .status();
        if made.is_err() && std::env::var_os("CI").is_none() {
            println!("skipped: python3 is not installed");
            return;
        }
        assert!(made.unwrap().success());
        let parts = Parts {
            program: at("fairtrial"),
            man: at("man"),
            wheel: at("w.whl"),
        };
        let archive = pack(&parts, &at("out"), "fairtrial-1").unwrap();
        checksums(&at("out")).unwrap();
        let list = Command::new("tar")
            .arg("-tzf")
            .arg(&archive)
            .output()
            .unwrap();
        let list = String::from_utf8(list.stdout).unwrap();
        for name in [
            "fairtrial",
            "man/fairtrial.1",
            "completions/_fairtrial",
            "LICENSE-MIT",
            "sbom.cyclonedx.json",
        ] {
            assert!(
                list.lines()
                    .any(|line| line == format!("fairtrial-1/{name}")),
                "{name}: {list}"
            );
        }
        let check = || {
            Command::new("sha256sum")
                .args(["-c", "SHA256SUMS"])
                .current_dir(at("out"))
                .output()
                .unwrap()
        };
        assert!(check().status.success());
        fs::write(archive, "another").unwrap();
        assert!(!check().status.success());
    }
}
