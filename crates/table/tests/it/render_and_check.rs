//! Rendering against the original tool's output, and every kind of finding.

use fairtrial_table::{Expected, FindingKind, Origins, Table, check, diff, render};
use std::fs;
use std::path::PathBuf;

#[test]
fn html_is_what_the_original_renderer_makes() {
    let shared = std::env::var_os("FAIRTRIAL_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let upstream = shared.join("fixtures/upstream/tbp");
    let goldens: Vec<_> = fs::read_dir(upstream.join("golden_html"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "html"))
        .collect();
    if goldens.is_empty() {
        eprintln!("skipped: the original renderer's pages (fixtures/upstream/tbp) are not here");
        return;
    }
    for golden in goldens {
        let name = golden.file_stem().unwrap().to_str().unwrap();
        let source = fs::read(upstream.join(format!("benchmarks/{name}.csv"))).unwrap();
        let page = render::html(&Table::parse(source).unwrap()).unwrap();
        assert_eq!(page, fs::read_to_string(&golden).unwrap(), "{name}");
    }
}

const TABLE: &str = "Name,Correct <b>|align right|hover \"share\" & more,Hidden|hidden,Note|align left\n\
a,1.5,x,\"a|b\nc\"\n\
b,   2,y,&\n";

#[test]
fn options_and_markup_in_both_forms() {
    let table = Table::parse(TABLE).unwrap();
    assert_eq!(
        render::html(&table).unwrap(),
        "<div class=\"data-table\"><table>\n<thead>\n<tr><th>Name</th>\
         <th title=\"&quot;share&quot; &amp; more\">Correct &lt;b&gt;</th><th>Note</th></tr>\n</thead>\n<tbody>\n\
         <tr><td>a</td><td style=\"text-align:right\">1.5</td><td style=\"text-align:left\">a|b\nc</td></tr>\n\
         <tr><td>b</td><td style=\"text-align:right\">   2</td><td style=\"text-align:left\">&amp;</td></tr>\n\
         </tbody>\n</table></div>"
    );
    assert_eq!(
        render::markdown(&table).unwrap(),
        "| Name | Correct \\<b\\> | Note |\n| --- | ---: | :--- |\n| a | 1.5 | a\\|b<br>c |\n| b | 2 | & |\n"
    );
    let bad = Table::parse("A|align center,B\n1,2\n").unwrap();
    let reason = render::html(&bad).unwrap_err().to_string();
    assert_eq!(
        render::failure("bad_align.csv", &reason),
        "[Failed to load table from bad_align.csv - Invalid alignment value: center. Must be 'left' or 'right']"
    );
    assert!(render::markdown(&bad).is_err());
}

fn kinds(text: &str, expected: Option<&Expected>) -> Vec<(FindingKind, Option<usize>)> {
    let findings = check(&Table::parse(text).unwrap(), expected);
    findings
        .iter()
        .map(|found| (found.kind, found.line))
        .collect()
}

#[test]
fn every_kind_of_finding() {
    assert_eq!(kinds(TABLE, None), []);
    let text = "k,v|align centre|big,v,n\na,1,2,3\na,1,2\n\n,1,2,3\r\nb,x,5,1.5\nc,2,5,3\nd,2,5,4\ne,2,5,4\nf,2,5,4\ng,2,5,4\n";
    assert_eq!(
        kinds(text, None),
        [
            (FindingKind::BadAlign, Some(1)),
            (FindingKind::UnknownOption, Some(1)),
            (FindingKind::DuplicateColumn, Some(1)),
            (FindingKind::Ragged, Some(3)),
            (FindingKind::BlankLine, Some(4)),
            (FindingKind::MixedEndings, Some(5)),
            (FindingKind::DuplicateKey, Some(3)),
            (FindingKind::NoKey, Some(5)),
            (FindingKind::NotANumber, Some(6)),
            (FindingKind::MixedFormat, Some(6)),
        ]
    );
}

#[test]
fn stale_missing_and_renamed_rows() {
    let expected = Expected {
        keys: ["kept", "new_name", "randrot_noise_surf", "fresh"]
            .map(str::to_owned)
            .to_vec(),
        renamed: vec![("old_name".to_owned(), "new_name".to_owned())],
        columns: vec!["v".to_owned(), "w".to_owned()],
    };
    let text = "k,v\nkept,1\nold_name,2\nrandrot_noise_surf_agent,3\ngone,4\n";
    let findings = check(&Table::parse(text).unwrap(), Some(&expected));
    let lines: Vec<String> = findings
        .iter()
        .map(|found| {
            format!(
                "{} [{}]",
                found.message,
                found.help.as_deref().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "`old_name` is called `new_name` now [`fairtrial table update` renames the row with its next values]",
            "no experiment feeds the row `randrot_noise_surf_agent` [was it renamed to `randrot_noise_surf`? Then give that task `was = [\"randrot_noise_surf_agent\"]`]",
            "no experiment feeds the row `gone` [remove the row, or add the experiment to the suite]",
            "`randrot_noise_surf` has no row [`fairtrial table update` adds it with its values]",
            "`fresh` has no row [`fairtrial table update` adds it with its values]",
            "there is no column `w` [`fairtrial table update --add-columns` adds it]",
        ]
    );
    assert!(findings.iter().all(|found| found.error));
}

#[test]
fn a_diff_tells_numbers_from_ways_of_writing() {
    let first = Table::parse("k,v,old\na,1.50,x\nb,2,x\ngone,1,x\n").unwrap();
    let second = Table::parse("k,v|align right,new\nb,3,x\na,1.5,x\nfresh,1,x\n").unwrap();
    let found = diff(&first, &second);
    assert_eq!(
        (found.rows_added, found.rows_removed),
        (vec!["fresh".to_owned()], vec!["gone".to_owned()])
    );
    assert_eq!(
        (found.columns_added, found.columns_removed),
        (vec!["new".to_owned()], vec!["old".to_owned()])
    );
    assert!(found.reordered);
    assert_eq!(found.columns_changed[0].after, "v|align right");
    assert_eq!(found.cells.len(), 1);
    assert_eq!(
        (found.cells[0].row.as_str(), found.cells[0].delta),
        ("b", Some(1.0))
    );
    assert_eq!(found.rewritten[0].after, "1.5");
    assert!(diff(&first, &first).is_empty());
}

#[test]
fn origins_know_what_was_edited() {
    let side = r#"{"schema":1,"rows":{"a":{"source":"suite/20250824__12-34-56","trials":1,
        "cells":{"v":{"text":"1.50","value":1.4999}}}}}"#;
    let origins = Origins::parse(side.as_bytes()).unwrap();
    let state = |text: &str, key: &str| {
        let table = Table::parse(text).unwrap();
        serde_json::to_value(origins.state(&table, key)).unwrap()["state"].clone()
    };
    assert_eq!(state("k,v\na, 1.50\n", "a"), "as_written");
    assert_eq!(state("k,v\na,1.51\n", "a"), "edited");
    assert_eq!(state("k,v\nb,1.51\n", "b"), "unknown");
    assert_eq!(origins.full_precision("a", "v", "1.50"), Some(1.4999));
    assert_eq!(origins.full_precision("a", "v", "1.51"), None);
    assert_eq!(Origins::parse(origins.text().as_bytes()).unwrap(), origins);
}
