//! From options to a request of the engine, with everything refused that can be refused before anything starts.

use super::options::RunOptions;
use super::stopping_rule::{self, WatchedRule};
use crate::error::SessionError;
use crate::events::Event;
use crate::notice::Notice;
use crate::refusals::refusals;
use crate::registration::read_registration;
use crate::session::Session;
use crate::spec_file::SpecFile;
use crate::version::VERSION;
use fairtrial_analysis::sequential::Trajectory;
use fairtrial_engine::{Controls, RunRequest, Start, Stay, StopRule, Verbosity, remote};
use fairtrial_journal::DataRoot;
use fairtrial_plan::Plan;
use fairtrial_spec::{EngineChoice, EngineKind, FileCheck, Spec};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use super::finish::Ran;
use super::result::RunResult;

/// A run that is planned and not started.
#[derive(Debug)]
pub struct PreparedRun {
    pub(super) plan: Plan,
    pub(super) root: DataRoot,
    pub(super) options: RunOptions,
    /// What stands in for the text of the spec, where there is no file.
    pub(super) made_from: Option<Vec<u8>>,
}

impl PreparedRun {
    /// What is to be run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether a scheduler places the trials: they then outlive their controller.
    pub fn is_remote(&self) -> bool {
        self.plan.spec().engine.kind != EngineKind::Local
    }

    fn parallel(&self) -> Option<usize> {
        let spec = self.plan.spec();
        if spec.serial {
            return Some(1);
        }
        self.options.parallel.or(spec.parallel)
    }
}

impl Session {
    /// Plans a run; `files` says what a missing file means.
    pub fn prepare_run(
        &self,
        options: RunOptions,
        files: FileCheck,
    ) -> Result<PreparedRun, SessionError> {
        let only = options.only.as_deref();
        let mut plan = self.plan(&options.spec, files, only)?;
        if let Some(engine) = options.engine {
            plan = on_engine(&plan, engine, only)?;
        }
        plan = stopping_rule::until(plan, options.until.as_ref(), only)?;
        if only.is_some() {
            self.tell_unmet_needs(&plan);
        }
        if let Some(refusal) = refusals(&options.spec.path, &plan).into_iter().next() {
            return Err(refusal);
        }
        Ok(PreparedRun {
            plan,
            root: self.data_root(),
            options,
            made_from: None,
        })
    }

    /// A run of a spec that no file holds; `made_from` is kept in the place of the file's text, as JSON.
    #[allow(clippy::unused_self, reason = "runs are prepared by a session")]
    pub(crate) fn prepare_made(
        &self,
        spec: Spec,
        made_from: Vec<u8>,
        (root, verbosity): (DataRoot, Verbosity),
    ) -> Result<PreparedRun, SessionError> {
        Ok(PreparedRun {
            plan: Plan::new(Arc::new(spec), None)?,
            root,
            options: RunOptions {
                verbosity,
                ..RunOptions::new(SpecFile::default())
            },
            made_from: Some(made_from),
        })
    }

    /// A recorded spec, to run as it is; `made_from` is kept in the place of its file's text, as JSON.
    pub(crate) fn prepare_again(
        &self,
        spec: Spec,
        made_from: Vec<u8>,
        options: RunOptions,
    ) -> Result<PreparedRun, SessionError> {
        let plan = Plan::new(Arc::new(spec), options.only.as_deref())?;
        if let Some(refusal) = refusals(&options.spec.path, &plan).into_iter().next() {
            return Err(refusal);
        }
        if options.only.is_some() {
            self.tell_unmet_needs(&plan);
        }
        Ok(PreparedRun {
            plan,
            root: self.data_root(),
            options,
            made_from: Some(made_from),
        })
    }

    /// What would be handed to a scheduler; nothing where the trials run on this machine.
    pub fn scheduler_preview(&self, run: &PreparedRun) -> Result<Option<String>, SessionError> {
        let parallel = run.parallel().map(|limit| limit as u64);
        let rollouts = run.root.rollouts_dir();
        let program = &self.caller().program;
        let shown = remote::preview(&run.plan, &rollouts, program, parallel);
        Ok(shown.map_err(fairtrial_engine::EngineError::from)?)
    }

    /// Does a run, to its result, its files, and its confirmation where the spec asks for one.
    pub fn run(&self, run: PreparedRun, controls: &Controls) -> Result<RunResult, SessionError> {
        self.run_watched(run, controls, None)
    }

    /// The same, ended also by another rule than its spec's.
    pub(crate) fn run_watched(
        &self,
        mut run: PreparedRun,
        controls: &Controls,
        also: Option<Box<dyn StopRule>>,
    ) -> Result<RunResult, SessionError> {
        let (start, accepted_code) = self.start(&run.options, &run.root, &mut run.plan)?;
        let registration = self.registered_for(&run)?;
        self.check_machine(&run.plan)?;
        self.make_agents_ready(run.plan.spec(), &run.root)?;
        self.remove_dead_containers(run.plan.spec());
        let rule = WatchedRule::new(run.plan.spec())?;
        let mut request = self.request(run, start)?;
        request.registration = registration;
        request.accepted_code = accepted_code;
        let session = self.clone();
        let on_look = Box::new(move |looked: &Trajectory| session.hear(Event::Looked(looked)));
        request.stop = stopping_rule::either(rule.as_ref(), also, on_look);
        let began = Instant::now();
        let executed = self.execute(&request, controls)?;
        self.clean_up_after(&request, &executed.report);
        let ran = Ran {
            executed,
            request: &request,
            rule: rule.as_ref(),
            took: began.elapsed(),
        };
        self.finish(ran, controls)
    }

    /// Who selects trials may leave out what they need, as where that ran before; but must know it.
    fn tell_unmet_needs(&self, plan: &Plan) {
        let tasks = &plan.spec().tasks;
        if tasks.iter().all(|task| task.needs.is_empty()) {
            return;
        }
        let selected: BTreeSet<&str> = (0..plan.len())
            .filter_map(|index| plan.task(index))
            .map(|task| task.id.as_str())
            .collect();
        for task in tasks
            .iter()
            .filter(|task| selected.contains(task.id.as_str()))
        {
            let left_out = |id: &&String| !selected.contains(id.as_str());
            for needed in task.needs.iter().filter(left_out) {
                self.tell(Notice::NeedLeftOut {
                    task: task.id.clone(),
                    needed: needed.clone(),
                });
            }
        }
    }

    fn check_machine(&self, plan: &Plan) -> Result<(), SessionError> {
        let missing = self.missing(plan);
        if missing.is_empty() {
            return Ok(());
        }
        Err(SessionError::Missing(missing))
    }

    /// The registered plan beside the spec; where the spec deviates from it, that is told before anything runs.
    fn registered_for(&self, run: &PreparedRun) -> Result<Option<Vec<u8>>, SessionError> {
        if run.made_from.is_some() {
            return Ok(None);
        }
        let Some((text, registration)) = read_registration(&run.options.spec.path)? else {
            return Ok(None);
        };
        let deviations = registration.deviations(run.plan.spec());
        if let Some(first) = deviations.first() {
            self.tell(Notice::Deviates {
                places: deviations.len(),
                first: first.what.clone(),
            });
        }
        Ok(Some(text))
    }

    fn request(&self, run: PreparedRun, start: Start) -> Result<RunRequest, SessionError> {
        if let (true, Some(2..)) = (run.plan.spec().serial, run.options.parallel) {
            self.tell(Notice::Serial);
        }
        let (parallel, is_remote) = (run.parallel(), run.is_remote());
        let PreparedRun {
            plan,
            root,
            options,
            made_from,
        } = run;
        let path = &options.spec.path;
        let (spec_text, extension) = if let Some(text) = made_from {
            (text, "json".into())
        } else {
            let text = std::fs::read(path).map_err(|error| {
                SessionError::Input(format!("cannot read {}: {error}", path.display()))
            })?;
            (text, path.extension().unwrap_or_default().to_string_lossy())
        };
        if options.stay == Stay::Leave && !is_remote {
            return Err(SessionError::NoScheduler);
        }
        let expected_s = is_remote
            .then(|| self.earlier_mean(plan.spec()))
            .flatten()
            .map(|earlier| earlier.seconds);
        let caller = self.caller();
        Ok(RunRequest {
            root,
            parallel,
            expected_s,
            stay: options.stay,
            slots: parallel.unwrap_or_else(|| crate::planning::slots(plan.spec())),
            plan: Arc::new(plan),
            spec_text,
            spec_extension: extension.into_owned(),
            set: options.spec.set,
            only: options.only,
            registration: None,
            accepted_code: None,
            start,
            program: caller.program.clone(),
            version: VERSION.to_owned(),
            environment: caller.environment.clone(),
            now: caller.now,
            stop: None,
            verbosity: options.verbosity,
        })
    }
}

/// The same plan, placed elsewhere.
fn on_engine(plan: &Plan, engine: EngineChoice, only: Option<&str>) -> Result<Plan, SessionError> {
    let mut spec = plan.spec().as_ref().clone();
    spec.engine.choose(engine);
    Ok(Plan::new(Arc::new(spec), only)?)
}
