//! Writing columns: to a file of another name that then takes their place, so that readers see all of them or none.

use super::form::{COLUMNS_FILE, ColumnId, ColumnsHeader, CurveEntry, NumberColumn};
use super::packed::PackedColumn;
use super::stamp::{FileStamp, SourceFile};
use crate::points::CurvePoints;
use crate::step_facts::StepFacts;
use fairtrial_episode::open_regular;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Bytes that are written at once.
const PART: usize = 1 << 16;

/// What is packed of one file.
pub(crate) struct Packing<'a> {
    pub(crate) file: &'a str,
    /// As it was before it was read.
    pub(crate) stamp: FileStamp,
    pub(crate) sha256: &'a str,
    pub(crate) curves: Vec<(ColumnId, &'a CurvePoints)>,
}

/// Packs curves, and gives their columns in the order in which they came.
pub(crate) fn write(dir: &Path, packed: &[Packing<'_>]) -> io::Result<Vec<PackedColumn>> {
    let mut sources = Vec::new();
    let mut curves = Vec::new();
    let mut columns: Vec<&[f64]> = Vec::new();
    let mut at = 0;
    let mut place = |numbers| {
        let column = NumberColumn {
            at,
            crc: crc_of(numbers),
        };
        columns.push(numbers);
        at += size_of_val(numbers) as u64;
        column
    };
    // Metrics of the same lines mostly have the same steps: those are there once.
    let mut steps: Option<(&[f64], NumberColumn)> = None;
    for Packing {
        file,
        stamp,
        sha256,
        curves: of_file,
    } in packed
    {
        sources.push(SourceFile {
            file: (*file).to_owned(),
            stamp: stamp.clone(),
            sha256: (*sha256).to_owned(),
        });
        for (id, points) in of_file {
            let known = steps.filter(|(known, _)| same(known, &points.steps));
            let (_, own) = *steps.insert(match known {
                Some(known) => known,
                None => (&points.steps, place(&points.steps)),
            });
            curves.push(CurveEntry {
                id: id.clone(),
                facts: StepFacts::of(&points.steps),
                steps: own,
                values: place(&points.values),
                notes: points.notes.clone(),
            });
        }
    }
    let header = ColumnsHeader::new(sources, curves);
    let path = dir.join(COLUMNS_FILE);
    let begin = replace(&path, |to| {
        header.write(to)?;
        let begin = to.stream_position()?;
        for part in columns.iter().flat_map(|numbers| parts(numbers)) {
            to.write_all(&part)?;
        }
        Ok(begin)
    })?;
    let column = |curve| PackedColumn::new(&path, begin, curve);
    Ok(header.curves.iter().map(column).collect())
}

/// The columns of a file under another header; says where they begin then, and nothing where that cannot be done.
pub(super) fn stamped(path: &Path, header: &ColumnsHeader, begin: u64) -> Option<u64> {
    let mut from = open_regular(path).ok()?;
    from.seek(SeekFrom::Start(begin)).ok()?;
    let copied = replace(path, |to| {
        header.write(to)?;
        let begin = to.stream_position()?;
        io::copy(&mut from, to)?;
        Ok(begin)
    });
    copied.ok()
}

fn replace<T>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let folder = path.parent().unwrap_or(Path::new(""));
    // As other files of a trial: whom its folder lets in may read them.
    let own = tempfile::Builder::new()
        .prefix(".series.")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    let (file, own) = own.into_parts();
    let mut to = BufWriter::with_capacity(PART, file);
    let filled = fill(&mut to)?;
    to.flush()?;
    own.persist(path).map_err(|refused| refused.error)?;
    Ok(filled)
}

fn crc_of(numbers: &[f64]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    parts(numbers).for_each(|part| crc.update(&part));
    crc.finalize()
}

/// NumberColumn as they stand in the file.
fn parts(numbers: &[f64]) -> impl Iterator<Item = Vec<u8>> {
    let parts = numbers.chunks(PART / size_of::<f64>());
    parts.map(|part| {
        part.iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    })
}

/// Whether they are the same to the last bit.
fn same(one: &[f64], other: &[f64]) -> bool {
    let equal = |(one, other): (&f64, &f64)| one.to_bits() == other.to_bits();
    one.len() == other.len() && one.iter().zip(other).all(equal)
}
