//! Files that an experiment names: what is not there, or not the trial's, is no result of it.

use fairtrial_experiment::Artifact;
use std::fs;
use std::path::Path;

/// Of the files that were named those that are there and lie in the trial's directory or under `output_dir`; and what is to
/// be said of the others.
pub(crate) fn kept(
    mut named: Vec<Artifact>,
    dir: &Path,
    output_dir: &Path,
) -> (Vec<Artifact>, Vec<String>) {
    let homes: Vec<_> = [dir, output_dir]
        .iter()
        .filter_map(|home| fs::canonicalize(home).ok())
        .collect();
    let mut remarks = Vec::new();
    named.retain(|artifact| {
        // One that says no folder is the trial's own.
        let why = match fs::canonicalize(dir.join(&artifact.path)) {
            Ok(file) if homes.iter().any(|home| file.starts_with(home)) => return true,
            Ok(_) => "lies outside of the trial's directory and of `output_dir`",
            Err(_) => "is not there",
        };
        let Artifact { name, path, .. } = artifact;
        remarks.push(format!(
            "the artifact {name} ({path}) {why} and is left out"
        ));
        false
    });
    (named, remarks)
}

#[cfg(test)]
mod tests {
    use super::kept;
    use fairtrial_experiment::Artifact;
    use std::fs;

    #[test]
    fn files_that_are_not_there_or_not_the_trials_are_left_out_and_told() {
        let home = tempfile::tempdir().unwrap();
        let (dir, out) = (home.path().join("trial"), home.path().join("out"));
        fs::create_dir_all(dir.join("artifacts")).unwrap();
        fs::create_dir(&out).unwrap();
        let other = home.path().join("other.txt");
        for file in [
            &dir.join("artifacts/own.txt"),
            &out.join("plot.svg"),
            &other,
        ] {
            fs::write(file, "x").unwrap();
        }
        let named = |path: &str| Artifact {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            kind: "file".to_owned(),
            path: path.to_owned(),
        };
        let all = [
            "artifacts/own.txt".to_owned(),
            out.join("plot.svg").display().to_string(),
            other.display().to_string(),
            "../other.txt".to_owned(),
            "/nonexistent".to_owned(),
        ];
        let (found, remarks) = kept(all.iter().map(|path| named(path)).collect(), &dir, &out);
        let names: Vec<&str> = found
            .iter()
            .map(|artifact| artifact.name.as_str())
            .collect();
        assert_eq!(names, ["own.txt", "plot.svg"]);
        assert_eq!(remarks.len(), 3);
        assert!(remarks[0].contains("other.txt) lies outside of the trial's directory"));
        assert_eq!(
            remarks[2],
            "the artifact nonexistent (/nonexistent) is not there and is left out"
        );
    }
}
