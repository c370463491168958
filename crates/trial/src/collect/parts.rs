//! The files of a trial that was run in parts, read as one: a part that went back to its checkpoint reports steps again
//! that the one before it had reported, and each step counts once, as it was reported last.
//!
//! The folder of the last part is given the whole curve; what each part wrote itself stays in its own folder.

use super::{REPORTED_FILE, columns_of, tolerant};
use fairtrial_episode::open_regular;
use fairtrial_model::{LinePlace, MetricDeclaration, MetricSource, StepSearch};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The form of a file that holds points.
#[derive(Debug, Clone, Copy)]
enum Form {
    Lines,
    Table,
}

/// Puts what the parts before reported in front of what the last one reported, in its folder; gives what a reader should
/// know about it.
pub(crate) fn join(earlier: &[PathBuf], dir: &Path, declared: &[MetricDeclaration]) -> Vec<String> {
    let mut files = BTreeMap::from([(REPORTED_FILE, Form::Lines)]);
    for metric in declared {
        match &metric.source {
            MetricSource::Jsonl { file, .. } => files.insert(file, Form::Lines),
            MetricSource::Csv { file, .. } => files.insert(file, Form::Table),
            _ => None,
        };
    }
    let mut notes = Vec::new();
    for (file, form) in files {
        let paths = earlier.iter().map(|dir| dir.join(file));
        let before: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        if before.is_empty() {
            continue;
        }
        let own = dir.join(file);
        let steps = Steps::of(file, declared);
        let joined = match form {
            Form::Lines => join_lines(&before, &own, &steps),
            Form::Table => join_tables(&before, &own, &steps),
        };
        match joined {
            Ok(None) => {}
            Ok(Some(why)) => notes.push(format!(
                "{file}: only what the last part wrote counts: {why}"
            )),
            Err(error) => notes.push(format!(
                "{file}: what earlier parts wrote could not be put before it: {error}"
            )),
        }
    }
    notes
}

/// How the steps of a file are found.
struct Steps<'a> {
    declared: Vec<&'a str>,
    metrics: Vec<&'a str>,
}

impl<'a> Steps<'a> {
    fn of(file: &str, declared: &'a [MetricDeclaration]) -> Self {
        let key = |metric: &'a MetricDeclaration| match &metric.source {
            MetricSource::Reported if file == REPORTED_FILE => Some((metric, &metric.name)),
            MetricSource::Jsonl { file: of, key } if of == file => Some((metric, key)),
            _ => None,
        };
        let lines: Vec<_> = declared.iter().filter_map(key).collect();
        let columns = columns_of(declared, file);
        let of_file = |metric: &&MetricDeclaration| matches!(&metric.source, MetricSource::Csv { file: of, .. } if of == file);
        let of_table = declared.iter().filter(of_file);
        let of_lines = lines.iter().map(|(metric, _)| *metric);
        Self {
            declared: of_table
                .chain(of_lines)
                .filter_map(|metric| metric.step.as_deref())
                .collect(),
            metrics: columns
                .into_iter()
                .chain(lines.iter().map(|(_, key)| key.as_str()))
                .collect(),
        }
    }

    /// The name of the steps among these.
    fn among<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
        let mut own = names.clone();
        own.find(|name| self.declared.contains(name)).or_else(|| {
            let search = StepSearch {
                declared: None,
                metrics: &self.metrics,
            };
            search.among(names)
        })
    }
}

/// From where on a file, and those after it, report anew.
#[derive(Default)]
struct Cut {
    /// The first step, by the name of the steps.
    steps: HashMap<String, f64>,
    /// What has a value without a step.
    finals: HashSet<String>,
}

impl Cut {
    fn take(&mut self, line: &Point) {
        match &line.step {
            Some((name, step)) => {
                let first = self.steps.entry(name.clone()).or_insert(*step);
                *first = first.min(*step);
            }
            None => self.finals.extend(line.values.iter().cloned()),
        }
    }

    fn leaves(&self, line: &Point) -> bool {
        match &line.step {
            Some((name, step)) => self.steps.get(name).is_none_or(|first| step < first),
            None => !line.values.iter().any(|name| self.finals.contains(name)),
        }
    }
}

/// A line of JSON as far as it takes to place it.
struct Point {
    step: Option<(String, f64)>,
    values: Vec<String>,
}

fn point(line: &[u8], steps: &Steps<'_>) -> Option<Point> {
    let text = String::from_utf8_lossy(line);
    let serde_json::Value::Object(object) = tolerant::parse(&text)? else {
        return None;
    };
    let name = steps.among(object.keys().map(String::as_str));
    let step = match LinePlace::of(&object, name) {
        LinePlace::At(step) => name.map(|name| (name.to_owned(), step)),
        LinePlace::Final => None,
        LinePlace::Nowhere(_) => return None,
    };
    let values = object
        .iter()
        .filter(|(_, value)| tolerant::number(value).is_some());
    Some(Point {
        step,
        values: values.map(|(key, _)| key.clone()).collect(),
    })
}

fn each_line(path: &Path, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::new(open_regular(path)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        each(line.trim_ascii_end())?;
        line.clear();
    }
    Ok(())
}

fn join_lines(before: &[PathBuf], own: &Path, steps: &Steps<'_>) -> io::Result<Option<String>> {
    let mut later = Cut::default();
    if own.is_file() {
        each_line(own, |line| {
            if let Some(point) = point(line, steps) {
                later.take(&point);
            }
            Ok(())
        })?;
    }
    // The last one first: what stands in it takes the place of what stands in those before.
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for path in before.iter().rev() {
        let (mut text, mut cut) = (Vec::new(), Cut::default());
        each_line(path, |line| {
            // The last line of a part that was killed may be half a line.
            let Some(point) = point(line, steps) else {
                return Ok(());
            };
            if later.leaves(&point) {
                text.extend_from_slice(line);
                text.push(b'\n');
                cut.take(&point);
            }
            Ok(())
        })?;
        for (name, step) in cut.steps {
            let first = later.steps.entry(name).or_insert(step);
            *first = first.min(step);
        }
        later.finals.extend(cut.finals);
        kept.push(text);
    }
    if kept.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    replace(own, |to| {
        for text in kept.iter().rev() {
            to.write_all(text)?;
        }
        if own.is_file() {
            io::copy(&mut open_regular(own)?, to)?;
        }
        Ok(())
    })?;
    Ok(None)
}

/// A table as it stands in a file.
struct Table {
    headers: csv::StringRecord,
    rows: Vec<csv::StringRecord>,
}

impl Table {
    fn read(path: &Path) -> io::Result<Self> {
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::Headers)
            .from_reader(open_regular(path)?);
        Ok(Self {
            headers: reader.headers()?.clone(),
            rows: reader.records().collect::<Result<_, _>>()?,
        })
    }
}

fn join_tables(before: &[PathBuf], own: &Path, steps: &Steps<'_>) -> io::Result<Option<String>> {
    let mut tables = before
        .iter()
        .map(|path| Table::read(path))
        .collect::<io::Result<Vec<_>>>()?;
    if own.is_file() {
        tables.push(Table::read(own)?);
    }
    // A part that was killed at its start has an empty one.
    tables.retain(|table| !table.headers.is_empty());
    let Some(headers) = tables.last().map(|table| table.headers.clone()) else {
        return Ok(None);
    };
    if tables.iter().any(|table| table.headers != headers) {
        return Ok(Some("its columns changed".to_owned()));
    }
    let place = steps
        .among(headers.iter())
        .and_then(|name| headers.iter().position(|header| header == name));
    let Some(place) = place else {
        return Ok(Some("no column holds its steps".to_owned()));
    };
    let step = |row: &csv::StringRecord| row.get(place)?.trim().parse::<f64>().ok();
    let mut first = f64::INFINITY;
    for table in tables.iter_mut().rev() {
        table
            .rows
            .retain(|row| step(row).is_none_or(|step| step < first));
        let own = table.rows.iter().filter_map(step);
        first = own.fold(first, f64::min);
    }
    replace(own, |to| {
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(to);
        writer.write_record(&headers)?;
        for row in tables.iter().flat_map(|table| &table.rows) {
            writer.write_record(row)?;
        }
        writer.flush()
    })?;
    Ok(None)
}

/// Writes a file anew and puts it in the place of what is there, never through a link.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".joined");
    let beside = path.with_file_name(name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut to = BufWriter::new(File::create_new(&beside)?);
    let written = write(&mut to).and_then(|()| to.flush());
    written
        .and_then(|()| fs::rename(&beside, path))
        .inspect_err(|_| {
            // A half one would stand in the way of the next.
            let _ = fs::remove_file(&beside);
        })
}

#[cfg(test)]
mod tests {
    use super::join;
    use fairtrial_model::{MetricDeclaration, MetricSource};
    use std::path::{Path, PathBuf};

    /// What the last folder holds after these parts, each the text of its file; the last may have none.
    fn joined(file: &str, source: MetricSource, parts: &[&str]) -> (String, Vec<String>) {
        let home = tempfile::tempdir().unwrap();
        let dirs: Vec<PathBuf> = (0..parts.len())
            .map(|place| home.path().join(place.to_string()))
            .collect();
        for (dir, text) in dirs.iter().zip(parts) {
            std::fs::create_dir(dir).unwrap();
            if !text.is_empty() {
                std::fs::write(dir.join(file), text).unwrap();
            }
        }
        let (last, earlier) = dirs.split_last().unwrap();
        let declared = [MetricDeclaration {
            source,
            ..MetricDeclaration::named("r")
        }];
        let once = |dir: &Path| {
            let notes = join(earlier, dir, &declared);
            let text = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
            (text, notes)
        };
        let first = once(last);
        assert_eq!(once(last), first, "joined again, it is the same");
        first
    }

    fn lines(parts: &[&str]) -> String {
        let (text, notes) = joined("metrics.jsonl", MetricSource::Reported, parts);
        assert_eq!(notes, Vec::<String>::new());
        text.replace("{\"step\": ", "")
            .replace(", \"r\": ", "=")
            .replace("}\n", " ")
    }

    fn points(points: &[(u32, u32)]) -> String {
        let line = |(step, value): &(u32, u32)| format!("{{\"step\": {step}, \"r\": {value}}}\n");
        points.iter().map(line).collect()
    }

    #[test]
    fn each_step_counts_once_as_it_was_reported_last() {
        let first = points(&[(1, 10), (2, 10), (3, 10)]);
        let second = points(&[(3, 20), (4, 20)]);
        let third = points(&[(4, 30), (5, 30)]);
        assert_eq!(
            lines(&[&first, &second, &third]),
            "1=10 2=10 3=20 4=30 5=30 "
        );
        // A part that went back further takes back what those before it did.
        let back = points(&[(2, 40)]);
        assert_eq!(lines(&[&first, &second, &back]), "1=10 2=40 ");
        assert_eq!(lines(&[&first, ""]), "1=10 2=10 3=10 ");
        assert_eq!(lines(&[&first, "", &third]), "1=10 2=10 3=10 4=30 5=30 ");
    }

    #[test]
    fn half_a_line_is_left_out_and_a_final_value_is_that_of_the_last_part() {
        let torn = format!("{}{{\"step\": 3, \"r", points(&[(1, 10), (2, 10)]));
        assert_eq!(lines(&[&torn, &points(&[(3, 20)])]), "1=10 2=10 3=20 ");
        let text = lines(&["{\"r\": 1}\n{\"size\": 7}\n", "{\"r\": 2}\n"]);
        assert_eq!(text, "{\"size\": 7 {\"r\": 2 ");
    }

    #[test]
    fn tables_are_joined_over_the_column_of_their_steps() {
        let source = || MetricSource::Csv {
            file: "p.csv".to_owned(),
            column: "r".to_owned(),
        };
        let parts = ["step,r\n1,10\n2,10\n3,10\n", "step,r\n3,20\n4,20\n"];
        let (text, notes) = joined("p.csv", source(), &parts);
        assert_eq!(text, "step,r\n1,10\n2,10\n3,20\n4,20\n");
        assert!(notes.is_empty());
        let (text, notes) = joined("p.csv", source(), &["r\n1\n2\n", "r\n3\n"]);
        assert_eq!(text, "r\n3\n");
        assert!(notes[0].contains("no column"), "{notes:?}");
        let (_, notes) = joined("p.csv", source(), &["step,r\n1,1\n", "step,q\n2,3\n"]);
        assert!(notes[0].contains("columns changed"), "{notes:?}");
    }
}
