//! The curves of one trial.

use crate::columns::{
    COLUMNS_FILE, ColumnId, Columns, FileStamp, PACKED_FROM, PackedColumn, Packing, write,
};
use crate::digest::file_digest;
use crate::error::{FileError, SeriesError};
use crate::lines::{Found, WantedColumn};
use crate::origin::{PointsFile, PointsOrigin};
use crate::points::CurvePoints;
use crate::series::{CurveSeries, PackedSeries, converted};
use fairtrial_model::{MetricDeclaration, SeriesInfo};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The curves of a trial that has ended.
#[derive(Debug, Clone, Copy)]
pub struct TrialCurves<'a> {
    /// Its folder.
    pub dir: &'a Path,
    /// The series that its record tells of: those that are packed.
    pub series: &'a BTreeMap<String, SeriesInfo>,
    /// How the spec declares its metrics.
    pub declared: &'a [MetricDeclaration],
}

/// What curves are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reading {
    /// Columns where they are those of the files, else the files, of which they are made then.
    #[default]
    Columns,
    /// The files themselves: to check, or because the trial still writes to them.
    Files,
}

/// Bytes of points that are in memory at once to be packed.
const MOST_PACKED: u64 = 256 << 20;
/// Those of a point.
const POINT_BYTES: u64 = 16;

/// Files that hold points, each with the metrics that are read from it.
type ByFile<'a> = Vec<(&'a PointsFile, Vec<(&'a str, WantedColumn<'a>)>)>;

impl TrialCurves<'_> {
    /// The curve of one metric.
    pub fn open_one(&self, metric: &str, reading: Reading) -> Result<CurveSeries, SeriesError> {
        let first = self.open(&[metric], reading).pop();
        first.unwrap_or_else(|| Ok(CurveSeries::held(CurvePoints::default())))
    }

    /// The curves of these metrics, in their order.
    pub fn open(
        &self,
        metrics: &[&str],
        reading: Reading,
    ) -> Vec<Result<CurveSeries, SeriesError>> {
        let origins: Vec<PointsOrigin> = metrics.iter().map(|metric| self.origin(metric)).collect();
        let mut found: HashMap<&str, Result<CurveSeries, SeriesError>> = HashMap::new();
        let wanted = || metrics.iter().copied().zip(&origins);
        let columns = match reading {
            Reading::Columns => Columns::open(self.dir),
            Reading::Files => None,
        };
        if let Some(columns) = &columns {
            for (metric, origin) in wanted() {
                let column = origin.in_file().and_then(|(file, wanted)| {
                    let is_long = self.length(file).is_some_and(is_packed);
                    let id = ColumnId::of(&file.name, file.form, wanted);
                    columns.curve(&id).filter(|_| is_long)
                });
                if let Some(column) = column {
                    found.insert(metric, Ok(self.packed(metric, origin, column)));
                }
            }
        }
        let left = wanted().filter(|(metric, _)| !found.contains_key(metric));
        let left = by_file(left);
        let is_new = |file: &PointsFile| columns.as_ref().is_none_or(|it| !it.is_fresh(&file.name));
        let packs = reading == Reading::Columns
            && left
                .iter()
                .any(|(file, _)| is_new(file) && self.length(file).is_some_and(is_packed));
        if packs {
            found.extend(self.pack_with(&left));
        }
        for (file, wanted) in &left {
            let wanted: Vec<_> = wanted
                .iter()
                .filter(|(metric, _)| !found.contains_key(metric))
                .copied()
                .collect();
            if !wanted.is_empty() {
                let columns: Vec<WantedColumn<'_>> = wanted.iter().map(|(_, it)| *it).collect();
                let read = file.read(self.dir, &columns).map(|found| found.points);
                for ((metric, _), points) in wanted.iter().zip(each(read, wanted.len())) {
                    found.insert(
                        metric,
                        points.map(|it| self.held(metric, it)).map_err(Into::into),
                    );
                }
            }
        }
        let one = |(metric, origin): (&str, &PointsOrigin)| {
            let other = || Ok(self.held(metric, origin.read(self.dir, metric)?));
            // A metric that is asked for twice is read twice.
            found.remove(metric).unwrap_or_else(other)
        };
        wanted().map(one).collect()
    }

    /// Packs the curves of the trial that just ended, where they are long; gives the digests of the files that they are in,
    /// also where the columns cannot be written.
    pub fn pack(&self) -> BTreeMap<String, String> {
        let origins = self.recorded();
        let files = by_file(origins.iter().map(|(metric, origin)| (*metric, origin)));
        let is_long = |file: &PointsFile| self.length(file).is_some_and(is_packed);
        if !files.iter().any(|(file, _)| is_long(file)) {
            return BTreeMap::new();
        }
        // What the trial itself may have put there is nothing to read.
        let _ = std::fs::remove_file(self.dir.join(COLUMNS_FILE));
        let read = self.read_long(&self.fitting(files));
        if !read.is_empty() {
            // Where they cannot be written now, they are made when somebody reads them first.
            let _ = write(self.dir, &packings(&read));
        }
        let digest = |long: LongFile<'_>| (long.file.name.clone(), long.sha256);
        let known: BTreeMap<String, String> = read.into_iter().map(digest).collect();
        self.digests_but(known)
    }

    /// The digests of the files that long curves are in.
    pub fn digests(&self) -> BTreeMap<String, String> {
        self.digests_but(BTreeMap::new())
    }

    fn digests_but(&self, mut known: BTreeMap<String, String>) -> BTreeMap<String, String> {
        for (_, origin) in &self.recorded() {
            let Some((file, _)) = origin.in_file() else {
                continue;
            };
            if !known.contains_key(&file.name)
                && self.length(file).is_some_and(is_packed)
                && let Ok(digest) = file_digest(&self.dir.join(&file.name))
            {
                known.insert(file.name.clone(), digest);
            }
        }
        known
    }

    /// As many of the metrics as may be in memory together, the first ones; others are read from their files whenever
    /// somebody asks.
    fn fitting<'f>(&self, mut files: ByFile<'f>) -> ByFile<'f> {
        let mut room = MOST_PACKED;
        let mut fits = |metric: &str| {
            let points = self.series.get(metric).map_or(0, |series| series.points);
            let left = room.checked_sub(points.saturating_mul(POINT_BYTES));
            room = left.unwrap_or(room);
            left.is_some()
        };
        for (_, wanted) in &mut files {
            wanted.retain(|(metric, _)| fits(metric));
        }
        files.retain(|(_, wanted)| !wanted.is_empty());
        files
    }

    /// Packs what the record tells of together with what is wanted, and gives the latter.
    fn pack_with<'m>(
        &self,
        wanted: &ByFile<'m>,
    ) -> HashMap<&'m str, Result<CurveSeries, SeriesError>> {
        let recorded = self.recorded();
        let wanted = wanted
            .iter()
            .flat_map(|(_, wanted)| wanted.iter().map(|(metric, _)| *metric));
        let wanted: Vec<(&str, PointsOrigin)> =
            wanted.map(|metric| (metric, self.origin(metric))).collect();
        let others = recorded
            .iter()
            .filter(|(metric, _)| !wanted.iter().any(|(wanted, _)| wanted == metric));
        let all = wanted.iter().chain(others);
        let files = by_file(all.map(|(metric, origin)| (*metric, origin)));
        let read = self.read_long(&self.fitting(files));
        let packings = packings(&read);
        let written = write(self.dir, &packings).unwrap_or_default();
        let mut written = written.into_iter();
        let mut found = HashMap::new();
        for long in read {
            for (metric, points) in long.curves {
                let Ok(points) = points else { continue };
                let column = written.next();
                let Some((name, origin)) = wanted.iter().find(|(name, _)| *name == metric) else {
                    continue;
                };
                let series = match column {
                    Some(column) => self.packed(name, origin, column),
                    None => self.held(name, points),
                };
                found.insert(*name, Ok(series));
            }
        }
        found
    }

    /// Reads the long ones of these files.
    fn read_long<'f>(&self, files: &ByFile<'f>) -> Vec<LongFile<'f>> {
        let read = files.iter().filter_map(|(file, wanted)| {
            let path = self.dir.join(&file.name);
            let stamp = FileStamp::of(&path).ok()??;
            if !is_packed(stamp.bytes) {
                return None;
            }
            let columns: Vec<WantedColumn<'_>> = wanted.iter().map(|(_, it)| *it).collect();
            let Found { points, digest } = file.read(self.dir, &columns).ok()?;
            // One that changes while it is read is nothing to keep.
            let after = FileStamp::of(&path).ok()??;
            (after == stamp && digest.0 == stamp.bytes).then(|| LongFile {
                file,
                stamp,
                sha256: digest.1,
                wanted: columns_of(wanted),
                curves: wanted
                    .iter()
                    .map(|(metric, _)| *metric)
                    .zip(points)
                    .collect(),
            })
        });
        read.collect()
    }

    /// The metrics that the record has a series of, in files.
    fn recorded(&self) -> Vec<(&str, PointsOrigin)> {
        let metrics = self.series.keys();
        let origins = metrics.map(|metric| (metric.as_str(), self.origin(metric)));
        origins.collect()
    }

    fn declaration(&self, metric: &str) -> Option<&MetricDeclaration> {
        self.declared
            .iter()
            .find(|declared| declared.name == metric)
    }

    fn origin(&self, metric: &str) -> PointsOrigin {
        PointsOrigin::of(metric, self.declaration(metric))
    }

    fn length(&self, file: &PointsFile) -> Option<u64> {
        let seen = std::fs::metadata(self.dir.join(&file.name)).ok()?;
        Some(seen.len())
    }

    fn held(&self, metric: &str, points: CurvePoints) -> CurveSeries {
        let declaration = self.declaration(metric);
        let convert = declaration.and_then(|declared| declared.convert.as_ref());
        CurveSeries::held(converted(points, convert))
    }

    fn packed(&self, metric: &str, origin: &PointsOrigin, column: PackedColumn) -> CurveSeries {
        let declaration = self.declaration(metric);
        CurveSeries::packed(PackedSeries {
            column,
            convert: declaration.and_then(|declared| declared.convert.clone()),
            dir: self.dir.to_owned(),
            metric: metric.to_owned(),
            origin: origin.clone(),
        })
    }
}

fn is_packed(bytes: u64) -> bool {
    bytes >= PACKED_FROM
}

/// What was read of a long file.
struct LongFile<'a> {
    file: &'a PointsFile,
    stamp: FileStamp,
    sha256: String,
    wanted: Vec<WantedColumn<'a>>,
    curves: Vec<(&'a str, Result<CurvePoints, FileError>)>,
}

fn columns_of<'a>(wanted: &[(&'a str, WantedColumn<'a>)]) -> Vec<WantedColumn<'a>> {
    wanted.iter().map(|(_, wanted)| *wanted).collect()
}

fn packings<'a>(read: &'a [LongFile<'_>]) -> Vec<Packing<'a>> {
    let of = |long: &'a LongFile<'_>| {
        let curves = long.wanted.iter().zip(&long.curves);
        let curves = curves.filter_map(|(wanted, (_, points))| {
            let id = ColumnId::of(&long.file.name, long.file.form, *wanted);
            Some((id, points.as_ref().ok()?))
        });
        Packing {
            file: &long.file.name,
            stamp: long.stamp.clone(),
            sha256: &long.sha256,
            curves: curves.collect(),
        }
    };
    read.iter().map(of).collect()
}

/// The files of metrics, each with what is wanted of it.
fn by_file<'a>(origins: impl Iterator<Item = (&'a str, &'a PointsOrigin)>) -> ByFile<'a> {
    let mut files: ByFile<'a> = Vec::new();
    for (metric, origin) in origins {
        let Some((file, wanted)) = origin.in_file() else {
            continue;
        };
        match files.iter_mut().find(|(known, _)| *known == file) {
            Some((_, of)) => of.push((metric, wanted)),
            None => files.push((file, vec![(metric, wanted)])),
        }
    }
    files
}

/// The points of each key; what is wrong with the file is wrong with each of them.
fn each(
    read: Result<Vec<Result<CurvePoints, FileError>>, FileError>,
    keys: usize,
) -> Vec<Result<CurvePoints, FileError>> {
    match read {
        Ok(points) => points,
        Err(error) => (0..keys).map(|_| Err(error.clone())).collect(),
    }
}
