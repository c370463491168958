//! What a sandbox shows, part by part and in this order, whoever builds it.

use super::programs::{SYSTEM, Search};
use crate::sandbox::contract::{Order, Room, fixed_room};
use fairtrial_spec::SandboxChoice;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where names are looked up, which `/etc/resolv.conf` may point to.
const RESOLVERS: [&str; 2] = ["/run/systemd/resolve", "/run/resolvconf"];
/// What programs ask about processors and memory.
const ABOUT_MACHINE: [&str; 2] = ["/sys/devices/system/cpu", "/sys/devices/system/node"];

/// One part of what a sandbox shows, with its place inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// An empty folder that everybody may enter.
    Folder(PathBuf),
    /// A link.
    Link { target: PathBuf, at: PathBuf },
    /// A file or a folder of this machine.
    Shown {
        from: PathBuf,
        at: PathBuf,
        is_written: bool,
    },
    /// A file within what is shown already, which nothing inside may change.
    Fixed { from: PathBuf, at: PathBuf },
    /// Its own `/proc`, whose settings can only be read.
    Processes,
    /// Its own `/dev`, with the devices that hold nothing.
    Devices,
}

/// All parts of a sandbox. Whatever stands between them can only be read.
pub(super) fn layout(room: &Room, order: &Order<'_>, choice: &SandboxChoice) -> Vec<Part> {
    let inside = fixed_room(room);
    let mut layout = Layout::default();
    layout.system();
    layout.show(&room.tmp, &inside.tmp, true);
    layout.show(&room.home, &inside.home, true);
    layout.show(&room.workspace, &inside.workspace, true);
    for name in order.fixed {
        let [from, at] = [room, &inside].map(|room| room.workspace.join(name));
        layout.parts.push(Part::Fixed { from, at });
    }
    layout.show(&room.inputs, &inside.inputs, false);
    layout.show(&room.out, &inside.out, true);
    for path in choice.read.iter().map(PathBuf::from) {
        layout.show(&path, &path, false);
    }
    for path in programs(room, order) {
        layout.show(&path, &path, false);
    }
    layout.parts
}

/// What the program needs of this machine besides the system.
fn programs(room: &Room, order: &Order<'_>) -> Vec<PathBuf> {
    let path = order.env.get("PATH").map(OsString::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let hidden = [room.outside().to_owned()];
    let search = Search {
        path: path.as_deref().unwrap_or_default(),
        home: home.as_deref(),
        hidden: &hidden,
    };
    let program = order.argv.first().map_or("", String::as_str);
    search.parts(program)
}

#[derive(Default)]
struct Layout {
    parts: Vec<Part>,
    /// Folders that are made for what is shown in them.
    made: BTreeSet<PathBuf>,
}

impl Layout {
    /// The system and what it shows of itself.
    fn system(&mut self) {
        for folder in SYSTEM {
            let at = PathBuf::from(folder);
            match fs::read_link(folder) {
                // Most systems keep these in /usr; a link costs less than another mount.
                Ok(target) => self.parts.push(Part::Link { target, at }),
                Err(_) if at.exists() => self.show(&at, &at, false),
                Err(_) => {}
            }
        }
        for folder in RESOLVERS.iter().chain(&ABOUT_MACHINE).map(Path::new) {
            if folder.exists() {
                self.show(folder, folder, false);
            }
        }
        self.parts.extend([
            Part::Processes,
            Part::Devices,
            Part::Folder("/var".into()),
            Part::Link {
                target: "../tmp".into(),
                at: "/var/tmp".into(),
            },
        ]);
    }

    fn show(&mut self, from: &Path, at: &Path, is_written: bool) {
        self.make_folders(at);
        self.parts.push(Part::Shown {
            from: from.to_owned(),
            at: at.to_owned(),
            is_written,
        });
    }

    /// Makes the folders around a place, which would else be made so that only their owner may enter.
    fn make_folders(&mut self, place: &Path) {
        let around: Vec<&Path> = place.ancestors().skip(1).collect();
        for folder in around.into_iter().rev().skip(1) {
            let of_system = SYSTEM.iter().any(|part| folder.starts_with(part));
            if !of_system && self.made.insert(folder.to_owned()) {
                self.parts.push(Part::Folder(folder.to_owned()));
            }
        }
    }
}
