//! Files as one object: `.tar.gz`, the same bytes for the same files.

use crate::error::StoreError;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use tar::{Archive, Builder, EntryType, Header};

/// An archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackedFolder {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Files that did not fit, by their names in it.
    pub left_out: Vec<String>,
}

/// Packs files and links under `folder`, each under its name there; sockets and the like are not files. Neither times nor
/// owners are kept, only whether a file is executable. Files beyond `most` bytes in all are left out, and told.
pub fn pack(folder: &Path, names: &[PathBuf], most: u64) -> Result<PackedFolder, StoreError> {
    let mut left_out = Vec::new();
    let mut room = most;
    let zip = GzBuilder::new().write(Vec::new(), Compression::fast());
    let mut builder = Builder::new(zip);
    for name in names {
        let path = folder.join(name);
        let failed = |action| {
            let path = path.clone();
            move |source| StoreError::File {
                path,
                action,
                source,
            }
        };
        let data = fs::symlink_metadata(&path).map_err(failed("look at"))?;
        let mut header = Header::new_gnu();
        header.set_mtime(0);
        if data.is_symlink() {
            let target = fs::read_link(&path).map_err(failed("read the link"))?;
            header.set_entry_type(EntryType::Symlink);
            header.set_mode(0o777);
            header.set_size(0);
            let added = builder.append_link(&mut header, name, target);
            added.map_err(failed("pack"))?;
        } else if data.is_dir() {
            header.set_entry_type(EntryType::Directory);
            header.set_mode(0o755);
            header.set_size(0);
            let added = builder.append_data(&mut header, name, io::empty());
            added.map_err(failed("pack"))?;
        } else if data.is_file() {
            // A program that was left behind may write on: what is read is what is said.
            let mut bytes = Vec::new();
            let mut file = fs::File::open(&path)
                .map_err(failed("open"))?
                .take(room + 1);
            file.read_to_end(&mut bytes).map_err(failed("read"))?;
            if bytes.len() as u64 > room {
                left_out.push(name.display().to_string());
                continue;
            }
            room -= bytes.len() as u64;
            header.set_entry_type(EntryType::Regular);
            header.set_mode(if is_executable(&data) { 0o755 } else { 0o644 });
            header.set_size(bytes.len() as u64);
            let added = builder.append_data(&mut header, name, bytes.as_slice());
            added.map_err(failed("pack"))?;
        }
    }
    let failed = |source| StoreError::File {
        path: folder.to_owned(),
        action: "pack",
        source,
    };
    let zip = builder.into_inner().map_err(failed)?;
    let bytes = zip.finish().map_err(failed)?;
    Ok(PackedFolder { bytes, left_out })
}

/// Unpacks below a folder; what would lie outside of it is refused.
pub fn unpack(bytes: &[u8], folder: &Path) -> Result<(), StoreError> {
    let mut archive = Archive::new(GzDecoder::new(bytes));
    archive.set_preserve_mtime(false);
    archive.set_overwrite(true);
    let unpacked = fs::create_dir_all(folder).and_then(|()| archive.unpack(folder));
    unpacked.map_err(|source| StoreError::File {
        path: folder.to_owned(),
        action: "unpack",
        source,
    })
}

fn is_executable(data: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    data.permissions().mode() & 0o100 != 0
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    #[test]
    fn files_arrive_as_they_were_and_give_the_same_bytes() {
        let from = tempfile::tempdir().unwrap();
        let deep = "d".repeat(120);
        fs::create_dir_all(from.path().join(&deep)).unwrap();
        let names: Vec<PathBuf> = ["run.sh", "link", "big"].map(PathBuf::from).to_vec();
        let names = [names, vec![PathBuf::from(format!("{deep}/ä.txt"))]].concat();
        fs::write(from.path().join("run.sh"), "echo").unwrap();
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(from.path().join("run.sh"), executable).unwrap();
        symlink("run.sh", from.path().join("link")).unwrap();
        fs::write(from.path().join("big"), vec![b'x'; 1000]).unwrap();
        fs::write(from.path().join(&names[3]), "text").unwrap();
        let packed = pack(from.path(), &names, 100).unwrap();
        assert_eq!(packed.left_out, ["big"]);
        let file = fs::File::open(from.path().join("run.sh")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(pack(from.path(), &names, 100).unwrap(), packed);
        let to = tempfile::tempdir().unwrap();
        let to = to.path().join("new");
        unpack(&packed.bytes, &to).unwrap();
        unpack(&packed.bytes, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("link")).unwrap(), "echo");
        assert_eq!(fs::read_to_string(to.join(&names[3])).unwrap(), "text");
        let mode = to.join("run.sh").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        assert!(!to.join("big").exists());
        let half = &packed.bytes[..packed.bytes.len() / 2];
        assert!(unpack(half, &to).is_err(), "one that was cut off is told");
    }
}
