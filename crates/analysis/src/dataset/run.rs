//! A run on disk as trials to compare, with what is known about how they were made.

use super::imported::{self, Imported};
use super::result_json::BUILT_IN;
use super::reuse::Reuse;
use super::{Dataset, FactKind, Origin, SeedsPair, intact, kept_source};
use crate::error::AnalysisError;
use crate::finished::Unfinished;
use crate::ran_code::CodeByTask;
use crate::read;
use crate::sequential::plan::metric_name;
use crate::validity::Floor;
use fairtrial_journal::observation::Observation;
use fairtrial_journal::provenance::{Environment, Vcs};
use fairtrial_journal::{Opened, RunDir, RunState};
use fairtrial_model::{MetricDeclaration, Outcome, PACED, Params};
use fairtrial_spec::{LookPromise, Spec, StopRule, Task, Work, wall_time};
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Dataset {
    /// Reads a run's effective records. `environment` is the run's `environment.json`, where there is one.
    pub fn from_run(
        run: &RunDir,
        spec: &Spec,
        environment: Option<&Environment>,
    ) -> Result<Self, AnalysisError> {
        Self::of_state(run, &RunState::read(&run.journal())?, (spec, environment))
    }

    /// The same where the journal was folded already.
    pub(crate) fn of_state(
        run: &RunDir,
        state: &RunState,
        (spec, environment): (&Spec, Option<&Environment>),
    ) -> Result<Self, AnalysisError> {
        let origin = Origin::Run {
            name: run.name().to_owned(),
            stamp: run.stamp(),
        };
        let mut data = Self::new(format!("{} {}", run.name(), run.stamp()), origin);
        data.declared = spec
            .metrics
            .iter()
            .map(MetricDeclaration::reduced)
            .collect();
        let is_experiment = |task: &Task| matches!(task.work, Work::Experiment { .. });
        if spec.tasks.iter().all(is_experiment) {
            data.measured = MetricDeclaration::worker_clocks().into();
        }
        data.arm_order = spec.arms.iter().map(|arm| arm.name.clone()).collect();
        data.arm_params = spec
            .arms
            .iter()
            .map(|arm| (arm.name.clone(), arm.params.clone()))
            .collect();
        data.task_params = spec
            .tasks
            .iter()
            .map(|task| (task.id.clone(), task.params.clone()))
            .collect();
        data.control = spec.control().map(str::to_owned);
        data.floor = Floor::of(spec);
        if spec.is_bench() {
            data.seeds_pair = SeedsPair::WithinRun;
        }
        data.own_seeds = spec.tasks.iter().any(|task| task.seeds.is_some());
        let stops = spec.analysis.stop.as_ref();
        data.looked_at = stops.and_then(|_| metric_name(spec));
        let mut reuse = Reuse::default();
        let mut forms = TaskForms::new();
        let mut walls = Vec::new();
        let mut code = CodeByTask::default();
        let mut imported = Imported::of(spec);
        read::observations_from(run, state, |observation| {
            match &mut imported {
                Some(imported) => {
                    imported.look(run, state, observation)?;
                    imported.push(&mut data, observation);
                }
                None => data.push(observation),
            }
            let wall = observation.resources.wall;
            if let Some(wall) = wall.filter(|_| spec.metrics.is_empty()) {
                walls.push((observation.trial.index, wall));
            }
            data.interruptions.add(&observation.resources);
            reuse.add(observation);
            code.add(observation);
            add_form(&mut forms, observation);
            Ok(())
        })?;
        data.can_run_again = imported.is_none() && !spec.is_bench();
        if let Some(imported) = imported {
            imported.shape(&mut data);
        }
        if state.summary.intact + state.summary.corrupt == 0 {
            return Err(AnalysisError::Question(format!(
                "{} was ended before it began: `fairtrial run SPEC --resume` begins it, or remove its folder",
                data.label
            )));
        }
        let opened = state.opened.as_ref();
        data.compare_wall(&walls, opened.map_or(1, |opened| opened.parallel));
        data.opened = opened.map(|opened| format!("{} on {}", opened.created_at, opened.host));
        data.problems = state.problem_sentences().collect();
        if Unfinished::of_state(state).is_some() {
            data.problems.push(Unfinished::warning(&data.label, state));
        }
        if state.is_half_scored() {
            data.problems.push(format!(
                "the scores of {} are old and new side by side: scoring it again (`fairtrial eval`) did not come to its end",
                data.label
            ));
        }
        // A bench also ends when its time is up, or the mean of its one command is known.
        data.loss = intact::loss(&data.label, state, stops.is_some() || spec.is_bench());
        data.problems.extend(data.loss.clone());
        // Looks at any time allow for seeds that come later.
        let at_any_time = |rule: &StopRule| rule.promise == LookPromise::Anytime;
        let allowed = spec.analysis.stop.as_ref().is_some_and(at_any_time);
        data.extended = reuse.warning(&data.label).filter(|_| !allowed);
        data.problems.extend(data.extended.clone());
        data.code.read_sets(run);
        data.accepts_code = state.accepts_code;
        data.mixed = code.words(run, state.accepts_code);
        data.problems.extend(data.mixed.clone());
        spec_facts(&mut data, spec);
        for (task, forms) in forms {
            let forms: Vec<String> = forms.into_iter().collect();
            data.fact(FactKind::Task, task, forms.join(", "));
        }
        imported::facts(&mut data, run)?;
        if let Some(environment) = environment {
            environment_facts(&mut data, environment, (run, opened));
        }
        Ok(data)
    }
}

impl Dataset {
    /// Where no trial reports a metric, and none is declared, the wall time of those that ended well is compared.
    fn compare_wall(&mut self, walls: &[(u64, f64)], parallel: usize) {
        if walls.is_empty() || !self.declared.is_empty() || !self.metric_names().is_empty() {
            return;
        }
        let walls: HashMap<u64, f64> = walls.iter().copied().collect();
        let ended_well = self.trials.iter().enumerate();
        let ended_well = ended_well.filter(|(_, trial)| trial.outcome == Outcome::Ok);
        let values = ended_well.filter_map(|(place, trial)| {
            Some((u32::try_from(place).ok()?, *walls.get(&trial.index)?))
        });
        let values: Vec<(u32, f64)> = values.collect();
        let wall = wall_time();
        let column = self.column_of(&wall.name);
        self.columns[column].values = values;
        self.declared.push(wall);
        let beside = if parallel > 1 {
            format!(
                "; {parallel} ran at a time and were in each other's times (`serial = true` runs one at a time)"
            )
        } else {
            String::new()
        };
        let assumed = format!(
            "no trial of {} reports a metric, so their wall times are compared{beside}",
            self.label
        );
        self.problems.push(assumed.clone());
        self.assumed = Some(assumed);
    }
}

/// The commits of the trials, where they say so: never one for all that have several.
fn commits(data: &Dataset) -> Option<String> {
    let mut commits = BTreeSet::new();
    for number in data.trials.iter().filter_map(|trial| trial.code) {
        commits.extend(data.code.commit(number));
    }
    let commits: Vec<&str> = commits.into_iter().collect();
    (!commits.is_empty()).then(|| commits.join(", "))
}

/// By task: the hashes of what its agents met and of how they were scored.
type TaskForms = BTreeMap<String, BTreeSet<String>>;

/// What a rollout says about its task; one that was not scored says only half.
fn add_form(forms: &mut TaskForms, observation: &Observation<'_>) {
    let fact = |name: &str| observation.facts.get(name);
    if let Some((given, scoring)) = fact("task_digest").zip(fact("scoring_digest")) {
        let task = observation.trial.task.to_string();
        let known = forms.entry(task).or_default();
        known.insert(format!("{given} scored by {scoring}"));
    }
}

/// What each task and arm was given.
fn spec_facts(data: &mut Dataset, spec: &Spec) {
    for arm in &spec.arms {
        params(data, &format!("arm {}", arm.name), &arm.params);
    }
    for task in &spec.tasks {
        params(data, &format!("task {}", task.id), &task.params);
        let work = match &task.work {
            Work::Command { argv, .. } => argv.join(" "),
            work @ Work::Experiment { slug, origin, .. } => {
                if *origin == Some(fairtrial_experiment::Origin::Builtin) {
                    data.implemented_by(BUILT_IN);
                }
                format!("{slug}, {}", work.iterations().unwrap_or_default())
            }
            Work::Prepared { dir, model, .. } => format!("{dir}, {model}"),
            Work::Imported { .. } => continue,
        };
        data.fact(FactKind::Parameters, format!("task {} runs", task.id), work);
    }
}

fn params(data: &mut Dataset, of: &str, params: &Params) {
    for (name, value) in params.iter() {
        data.fact(
            FactKind::Parameters,
            format!("{of}: {name}"),
            Params::display(value),
        );
    }
}

fn environment_facts(
    data: &mut Dataset,
    environment: &Environment,
    (run, opened): (&RunDir, Option<&Opened>),
) {
    let host = &environment.host;
    data.fact(FactKind::Machine, "host", &host.name);
    data.fact(FactKind::Machine, "kernel", &host.kernel);
    data.fact(
        FactKind::Machine,
        "cpu",
        host.cpu.as_deref().unwrap_or("unknown"),
    );
    let cores = host
        .cores
        .map_or("unknown".to_owned(), |cores| cores.to_string());
    data.fact(FactKind::Machine, "cores", cores);
    for (tool, version) in &environment.tools {
        data.fact(FactKind::Source, tool, version);
        // The fixed work of a Python worker takes another time in another Python.
        if tool == "python3" && !data.measured.is_empty() {
            data.fact(FactKind::Definition, PACED, version);
        }
    }
    if let Vcs::Git(state) = &environment.vcs {
        let commit = commits(data).or_else(|| state.commit.clone());
        data.fact(
            FactKind::Source,
            "commit",
            commit.as_deref().unwrap_or("none"),
        );
        kept_source::facts(data, (run, opened), state);
    }
}
