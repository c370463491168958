//! Per-episode files and the measures over them: the declarative language of `[episode_files]` and of metrics with
//! `from = "episodes:NAME"`.

use crate::diagnostic::{Diagnostic, Problems, Severity};
use crate::document::{Entry, Node};
use crate::episodes::EpisodeSet;
use crate::shape::table_keys::{MEASURE_KEYS, REDUCE_KEYS};
use fairtrial_model::{
    Condition, EpisodeFile, EpisodeValue, Grouping, Measure, MeasureKind, Number, Params, Reduce,
    Test,
};

fn error(node: &Node, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Severity::Error, node.span, message)
}

fn entries(node: Option<&Node>) -> &[Entry] {
    node.and_then(Node::map).map_or(&[][..], |map| &map.entries)
}

fn number(node: &Node, key: &str) -> Option<Number> {
    node.get(key).and_then(Node::number).map(Number)
}

/// The declared files.
pub(crate) fn files(root: &Node, problems: &mut Problems) -> Vec<EpisodeFile> {
    entries(root.get("episode_files"))
        .iter()
        .map(|entry| file(entry, problems))
        .collect()
}

fn file(entry: &Entry, problems: &mut Problems) -> EpisodeFile {
    let node = &entry.value;
    let text = |key| node.get(key).and_then(Node::text).unwrap_or_default();
    let identity = node.get("identity").and_then(Node::list);
    EpisodeFile {
        name: entry.key.clone(),
        file: text("file").to_owned(),
        grouping: node
            .get("episode")
            .map(|node| grouping(node, problems))
            .unwrap_or_default(),
        values: entries(node.get("values"))
            .iter()
            .filter_map(|entry| value(entry, problems))
            .collect(),
        identity: identity
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .map(str::to_owned)
            .collect(),
    }
}

fn grouping(node: &Node, problems: &mut Problems) -> Grouping {
    let text = |key| node.get(key).and_then(Node::text).map(str::to_owned);
    let given = [
        text("repeats").map(Grouping::Repeats),
        text("same").map(Grouping::Same),
        node.get("rows").and_then(Node::whole).map(Grouping::Rows),
    ];
    let mut given = given.into_iter().flatten();
    if let (Some(one), None) = (given.next(), given.next()) {
        return one;
    }
    let problem = error(
        node,
        "`episode` takes exactly one of `repeats`, `same`, `rows`",
    );
    problems.push(problem.help("leave `episode` out where every row is an episode"));
    Grouping::EachRow
}

/// The one key of several that is given.
fn only<'a>(node: &'a Node, keys: &[&'static str]) -> Result<(&'static str, &'a Node), usize> {
    let mut given = keys
        .iter()
        .filter_map(|key| Some((*key, node.get(key)?)))
        .collect::<Vec<_>>();
    match given.len() {
        1 => given.pop().ok_or(0),
        n => Err(n),
    }
}

fn value(entry: &Entry, problems: &mut Problems) -> Option<EpisodeValue> {
    let node = &entry.value;
    node.map()?;
    let Ok((how, column)) = only(node, &REDUCE_KEYS) else {
        let message = format!(
            "the value `{}` takes exactly one of {}",
            entry.key,
            quoted(&REDUCE_KEYS)
        );
        problems.push(error(node, message));
        return None;
    };
    let order = node.get("order").and_then(Node::list);
    let reduce = match how {
        "mean" => Reduce::Mean,
        "sum" => Reduce::Sum,
        "max" => Reduce::Max,
        "min" => Reduce::Min,
        "first" => Reduce::First,
        "last" => Reduce::Last,
        _ => Reduce::Strongest(
            order
                .unwrap_or_default()
                .iter()
                .filter_map(Node::text)
                .map(str::to_owned)
                .collect(),
        ),
    };
    if (how == "strongest") != order.is_some_and(|order| !order.is_empty()) {
        problems.push(error(node, "`strongest` and `order` go together"));
    }
    if node.get("over").is_none() && node.get("by_zero").is_some() {
        problems.push(error(node, "`by_zero` goes with `over`").help("remove it"));
    }
    if how == "strongest" && node.get("over").is_some() {
        problems.push(error(
            node,
            "words are not divided: `over` goes with numbers",
        ));
    }
    Some(EpisodeValue {
        name: entry.key.clone(),
        reduce,
        column: column.text()?.to_owned(),
        over: node.get("over").and_then(Node::text).map(str::to_owned),
        by_zero: number(node, "by_zero"),
        empty: number(node, "empty"),
    })
}

fn quoted(keys: &[&str]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    keys.join(", ")
}

/// What a metric measures over episodes.
pub(crate) fn measure(entry: &Entry, problems: &mut Problems) -> Option<Measure> {
    let node = &entry.value;
    let Ok((key, value)) = only(node, &MEASURE_KEYS) else {
        let message = format!(
            "a metric over episodes takes exactly one of {}",
            quoted(&MEASURE_KEYS)
        );
        let help = "for example `share = { verdict = \"correct\" }` or `mean = \"time\"`";
        problems.push(error(node, message).help(help));
        return None;
    };
    let kind = measure_kind(key, value, problems)?;
    let select = node.get("episodes");
    if let Some((node, Err(problem))) =
        select.and_then(|node| Some((node, EpisodeSet::parse(node.text()?, u64::MAX))))
    {
        problems.push(error(node, problem.to_string()));
    }
    let per = node.get("per");
    if let Some((node, column)) = per.and_then(|node| Some((node, node.text()?)))
        && !entry.key.contains(&format!("{{{column}}}"))
    {
        let message = format!("the name of a metric `per` column holds `{{{column}}}`");
        let help = format!("name it [metrics.\"{{{column}}}/{}\"]", entry.key);
        problems.push(error(node, message).help(help));
    }
    let text = |node: Option<&Node>| node.and_then(Node::text).map(str::to_owned);
    Some(Measure {
        kind,
        select: text(select),
        filter: conditions(node.get("where"), problems),
        per: text(per),
        empty: number(node, "empty"),
    })
}

fn measure_kind(key: &str, node: &Node, problems: &mut Problems) -> Option<MeasureKind> {
    if key == "count" {
        if node.bool() == Some(false) {
            problems.push(error(node, "`count` is `true`, or left out"));
        }
        return Some(MeasureKind::Count);
    }
    if key == "share" {
        return Some(MeasureKind::Share(conditions(Some(node), problems)));
    }
    let of = node.text()?.to_owned();
    Some(match key {
        "mean" => MeasureKind::Mean(of),
        "sum" => MeasureKind::Sum(of),
        "first" => MeasureKind::First(of),
        "last" => MeasureKind::Last(of),
        "min" => MeasureKind::Min(of),
        "max" => MeasureKind::Max(of),
        _ => MeasureKind::Distinct(of),
    })
}

/// Keys that only mean something over episodes, where the metric comes from elsewhere.
pub(crate) fn misplaced(entry: &Entry, problems: &mut Problems) {
    let node = &entry.value;
    let keys = MEASURE_KEYS
        .iter()
        .chain(&["episodes", "where", "per", "empty"]);
    for key in keys {
        if let Some(entry) = node.map().and_then(|map| map.entry(key)) {
            let message = format!("`{key}` goes with `from = \"episodes:NAME\"`");
            problems.push(
                Diagnostic::new(Severity::Error, entry.key_span, message)
                    .help("remove it, or take the metric from an episode file"),
            );
        }
    }
}

fn conditions(node: Option<&Node>, problems: &mut Problems) -> Vec<Condition> {
    let entries = entries(node);
    if let Some(node) = node
        && entries.is_empty()
    {
        problems.push(
            error(node, "a condition is missing").help("for example `{ verdict = \"correct\" }`"),
        );
    }
    entries
        .iter()
        .flat_map(|entry| {
            tests(&entry.value)
                .map(|test| (entry, test))
                .collect::<Vec<_>>()
        })
        .map(|(entry, test)| Condition {
            value: entry.key.clone(),
            test,
        })
        .collect()
}

/// A plain value is short for `is`; a table may hold several tests.
fn tests(node: &Node) -> impl Iterator<Item = Test> {
    let present = |node: &Node| Some(Test::Present(node.bool()?));
    let all = match node.map() {
        None => vec![Some(Test::OneOf(words(node)))],
        Some(_) => vec![
            node.get("is").map(|node| Test::OneOf(words(node))),
            node.get("not").map(|node| Test::NoneOf(words(node))),
            node.get("contains")
                .and_then(Node::text)
                .map(|text| Test::Contains(text.to_owned())),
            node.get("present").and_then(present),
            number(node, "min").map(Test::Min),
            number(node, "max").map(Test::Max),
        ],
    };
    all.into_iter().flatten()
}

fn words(node: &Node) -> Vec<String> {
    let single = std::slice::from_ref(node);
    let items = node.list().unwrap_or(single);
    items
        .iter()
        .map(|item| Params::display(&item.to_param()))
        .collect()
}
