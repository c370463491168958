//! From the checked document tree to the [`Spec`]: defaults filled in, names given, references followed.
//!
//! The shape has been checked before, so a value of the wrong type is simply absent here: its problem is reported.

mod command_words;
mod constraints;
mod draft;
mod engine;
mod experiments;
mod files;
pub(crate) mod find_path;
mod hooks;
mod idle_arms;
mod ids;
mod kubernetes;
mod metric_names;
mod needs;
mod network;
mod own_arms;
mod parts;
mod placeholders;
mod prepared_dirs;
mod processes;
mod rollout;
mod shell_quotes;
mod sweep;
mod tables;
mod task_folders;
mod tasks;
mod timing;
mod top;
mod variants;
mod work;

use crate::diagnostic::Problems;
use crate::document::Node;
use crate::load_options::FileCheck;
use crate::metric;
use crate::source::Sources;
use crate::spec::task::Task;
use crate::spec::work::Work;
use crate::spec::{Arm, SPEC_SCHEMA, Spec};
use experiments::Known;
use fairtrial_experiment::Catalogue;
use fairtrial_model::{Access, MetricDeclaration};
use parts::{params_of, texts};
use std::path::Path;
use tasks::ModelRole;
use variants::Varying;

/// Where a spec comes from.
pub(crate) struct Origin<'a> {
    pub(crate) path: &'a Path,
    pub(crate) files: FileCheck,
    pub(crate) sources: &'a Sources,
    /// Knows registered experiments, where they are to be checked.
    pub(crate) catalogue: Option<&'a dyn Catalogue>,
}

/// Resolves a spec; absent where there is no work in it.
pub(crate) fn resolve(root: &Node, origin: &Origin<'_>, problems: &mut Problems) -> Option<Spec> {
    let declared = declared_arms(root);
    let role = if declared.is_empty() {
        ModelRole::Arm
    } else {
        ModelRole::Parameter
    };
    let base_dir = top::base_dir(origin.path);
    let drafts = prepared_dirs::expand(
        draft::drafts(root, &base_dir, problems),
        &base_dir,
        problems,
    );
    let known = Known::look_up(root, &drafts, origin.catalogue, &base_dir, problems);
    let mut tasks = tasks::tasks(&drafts, role, &known, problems);
    let varying = Varying::arms(&mut tasks, &drafts);
    ids::assign(&mut tasks, &drafts, &varying, problems);
    let arms = if declared.is_empty() {
        model_arms(&tasks)
    } else {
        declared
    };
    own_arms::assign(&mut tasks, &drafts, (&arms, role), &known, problems);
    needs::check(&tasks, &drafts, problems);
    let mut sweep = sweep::top_level(root, problems);
    sweep::share_strategy(root, &mut sweep, &mut tasks, problems);
    sweep::check_clashes(root, &tasks, &drafts, &arms, problems);
    known.check(root, &drafts, problems);
    let seeds = processes::seeds(root, &mut tasks, &drafts, problems);
    let metrics = metrics(root, (&tasks, &known), problems);
    let analysis = top::analysis(root, &arms, seeds.len(), problems);
    let spec = Spec {
        serial: timing::is_serial(root, &metrics, &analysis, problems),
        schema: SPEC_SCHEMA,
        name: top::name(root, origin.path),
        source: origin.path.display().to_string(),
        parallel: root
            .get("parallel")
            .and_then(Node::whole)
            .map(|n| n as usize),
        order: top::order(root),
        order_seed: root.get("order_seed").and_then(Node::whole).unwrap_or(0),
        tables: tables::tables(root, &drafts, &metrics, problems),
        metrics,
        analysis,
        equal: top::equal(root),
        budget: top::budget(root),
        engine: engine::engine(root, problems),
        reporters: hooks::reporters(root, problems),
        on_finish: hooks::hook(root, "on_finish", problems),
        on_failure: hooks::hook(root, "on_failure", problems),
        provenance: top::provenance(root),
        experiments: experiments::sources(root),
        output_dir: root
            .get("output_dir")
            .and_then(Node::text)
            .map(str::to_owned),
        access: match root.get("share").and_then(Node::bool) {
            Some(true) => Access::Shared,
            _ => Access::Owner,
        },
        keep_folders: root.get("keep_folders").and_then(Node::bool),
        tags: texts(root.get("tags")),
        notes: root
            .get("notes")
            .and_then(Node::text)
            .unwrap_or("")
            .to_owned(),
        base_dir: base_dir.display().to_string(),
        seeds,
        tasks,
        arms,
        sweep,
    };
    top::check_confirm(root, &spec, problems);
    timing::check(&spec, &drafts, problems);
    metric_names::check(root, &spec, problems);
    crate::reference_points::check(root, &spec, problems);
    placeholders::check(&spec, &drafts, origin.sources, problems);
    shell_quotes::check(&spec, &drafts, origin.sources, problems);
    placeholders::check_engine(root, origin.sources, problems);
    engine::check_kind(root, &spec, problems);
    constraints::check(&spec, &drafts, problems);
    files::check(&drafts, &base_dir, origin.files, problems);
    command_words::check(&spec, &drafts, origin.sources, origin.files, problems);
    idle_arms::check(root, &spec, problems);
    (!spec.tasks.is_empty()).then_some(spec)
}

fn declared_arms(root: &Node) -> Vec<Arm> {
    let entries = root
        .get("arms")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let arm = |entry: &crate::document::Entry| Arm {
        name: entry.key.clone(),
        params: params_of(&entry.value),
    };
    entries.iter().map(arm).collect()
}

/// Without `[arms]`, each distinct model is an arm, in each way that a task is listed with it.
fn model_arms(tasks: &[Task]) -> Vec<Arm> {
    let mut arms: Vec<Arm> = Vec::new();
    for task in tasks {
        let Some(name) = &task.arm else { continue };
        if arms.iter().any(|arm| arm.name == *name) {
            continue;
        }
        let model = match &task.work {
            Work::Prepared { model, .. } => model,
            _ => name,
        };
        let params = [("model".to_owned(), model.as_str().into())];
        arms.push(Arm {
            name: name.clone(),
            params: params.into_iter().collect(),
        });
    }
    arms
}

/// The declared metrics. Where a spec with experiments declares none, it is about what they are about.
fn metrics(
    root: &Node,
    (tasks, known): (&[Task], &Known),
    problems: &mut Problems,
) -> Vec<MetricDeclaration> {
    let method = root.get("analysis").and_then(metric::method);
    let entries = root
        .get("metrics")
        .and_then(Node::map)
        .map_or(&[][..], |map| &map.entries);
    let timed = |task: &Task| matches!(task.work, Work::Experiment { .. });
    // Points of different experiments are not better or worse than each other.
    let alike = tasks.len() == 1 || tasks.iter().all(|task| task.sweep.axes.is_empty());
    if entries.is_empty() && alike && tasks.iter().all(timed) {
        return known.headlines(tasks);
    }
    let files = crate::episode_file::files(root, problems);
    let mut metrics: Vec<MetricDeclaration> = entries
        .iter()
        .map(|entry| metric::declaration(entry, &files, problems))
        .map(|metric| MetricDeclaration {
            method: metric.method.or(method),
            ..metric
        })
        .collect();
    metric::share_steps(&mut metrics);
    metrics
}
