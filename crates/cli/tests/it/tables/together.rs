//! Updates of one table at the same time.

use crate::common::Project;

/// A run that feeds one row of the table.
fn feed(project: &Project, row: &str) {
    let spec = format!(
        "name = \"{row}\"\nseeds = 1\n[[tasks]]\nid = \"row_{row}\"\ncommand = \"echo score 11\"\ntable = \"main\"\n\
         [metrics.score]\nfrom = 'stdout:score (\\d+)'\n[tables.main]\nfile = \"main.csv\"\n\
         [tables.main.columns]\n\"Score\" = \"score\"\n"
    );
    project.write(&format!("{row}.toml"), &spec);
    project.expect(0, &["run", &format!("{row}.toml")]);
}

#[test]
fn updates_at_the_same_time_lose_no_row() {
    updated_together(&[]);
}

/// As on some network file systems: a file beside the table has to do.
#[test]
#[cfg(target_os = "linux")]
fn nor_do_they_where_the_file_system_has_no_locks() {
    let folder = tempfile::tempdir().unwrap();
    let Some(library) = crate::torture::poor_system::library_in(folder.path()) else {
        return;
    };
    let library = library.display().to_string();
    updated_together(&[("LD_PRELOAD", &library), ("NO_LOCKS", "1")]);
}

fn updated_together(environment: &[(&str, &str)]) {
    let rows = ["p", "q", "r"];
    let project = Project::new();
    for row in rows {
        feed(&project, row);
    }
    for _ in 0..6 {
        project.write("main.csv", "Experiment,Score\nrow_p,1\nrow_q,2\nrow_r,3\n");
        let side = project.path().join("main.csv.origins.json");
        let _ = std::fs::remove_file(&side);
        let updates = rows.map(|row| {
            let mut update = project.command(&["table", "update", "main.csv", "--from", row]);
            update.envs(environment.iter().copied());
            update.stdout(std::process::Stdio::null()).spawn().unwrap()
        });
        for mut update in updates {
            assert!(update.wait().unwrap().success());
        }
        let table = project.read("main.csv");
        assert_eq!(table, "Experiment,Score\nrow_p,11\nrow_q,11\nrow_r,11\n");
        let origins = project.read("main.csv.origins.json");
        for row in rows {
            assert!(origins.contains(&format!("\"row_{row}\"")), "{origins}");
        }
    }
    let mut files: Vec<String> = std::fs::read_dir(project.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !matches!(name.rsplit_once('.'), Some((_, "toml"))))
        .collect();
    files.sort();
    assert_eq!(
        files,
        ["data", "main.csv", "main.csv.origins.json"],
        "no litter"
    );
}
