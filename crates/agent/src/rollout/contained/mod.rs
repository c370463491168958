//! A rollout that lives in one container: it is started, the agent works in it, then the tests come into it, once or step by
//! step. Rewards that the tests leave are the scores.

mod networks;
mod steps;

pub(super) use networks::with_networks;

use super::driven::{Drive, Phases};
use super::report::{Report, RolloutEnd};
use super::results::{RESULTS_FILE, agent_metrics, read_json};
use super::reward::StepEnds;
use crate::contained::{Contained, Step, TESTS, Variables, resolved};
use crate::error::{AgentError, At};
use crate::sandbox::contract::{Env, Room};
use crate::sandbox::lasting::{ARTIFACTS, INPUTS, Lasting, Mount, OUT, VERIFIER};
use crate::score::files::Heading;
use crate::usage::Usage;
use fairtrial_journal::{Durability, write_atomic_bytes};
use fairtrial_model::CAUSE_FACT;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use steps::{Inside, beside};

/// What of the rewards is kept, so that they can be scored again.
const STEPS_FILE: &str = "verifier.json";

impl Drive<'_> {
    /// The step at work, in a task of one container.
    pub(in crate::rollout) fn step(&self) -> Option<&Step> {
        self.task.contained.as_ref()?.steps.get(self.step.get())
    }

    pub(in crate::rollout) fn run_contained(
        &self,
        contained: &Contained,
        container: &Rc<Lasting>,
    ) -> Result<Report, AgentError> {
        let mut phases = Phases::default();
        let began = Instant::now();
        self.prepare()?;
        let room = self.logs_room()?;
        container.start(
            &self.resolved(&contained.env)?,
            &mounts(&room),
            (self.is_closed, self.sandbox.caps()),
        )?;
        let inside = Inside {
            drive: self,
            contained,
            container,
            room,
            has_tests: container.tidy(&format!("test -e {TESTS}")),
        };
        inside.act_as(
            contained
                .steps
                .first()
                .and_then(|step| step.agent_user.clone()),
        );
        inside.wait_for(contained.health.as_ref())?;
        phases.workspace = began.elapsed().as_secs_f64();
        phases.setup = inside.set_up()?;
        let (agent, ends) = inside.steps()?;
        let mut report = Report::new();
        self.agent_report(&agent, None, &mut report)?;
        for slip in Usage::slips(&inside.room.out) {
            report.note(&format!("{slip}: unknown"));
        }
        if let Some(seconds) = phases.setup {
            report.metrics.insert("setup_s".to_owned(), seconds.into());
        }
        self.write_results(&agent, None)?;
        let text = serde_json::to_vec_pretty(&ends).unwrap_or_default();
        let text = self.redactor.redact_bytes(text);
        write_atomic_bytes(&self.trial.dir.join(STEPS_FILE), Durability::Process, &text)?;
        match &agent.infra {
            Some(trouble) if trouble.permanent => report.broken(&trouble.message),
            Some(trouble) => report.infra(&trouble.message),
            None => {
                phases.score = Some(ends.seconds());
                let metrics = agent_metrics(&agent, &self.options);
                self.reward(&ends, &metrics, &mut report)?;
            }
        }
        self.write_metadata(&agent, &phases, &report)?;
        container.remove();
        Ok(report)
    }

    /// The scores of what the tests left then.
    pub(in crate::rollout) fn rescore_contained(
        &self,
        contained: &Contained,
    ) -> Result<Report, AgentError> {
        let results: Value = read_json(&self.trial.dir.join(RESULTS_FILE))?;
        let path = self.trial.dir.join(STEPS_FILE);
        let mut ends: StepEnds = read_json(&path)?;
        ends.rule = contained.rule;
        let mut report = Report::new();
        if let Some(failed) = results["failed"].as_str() {
            report.end = RolloutEnd::Failed;
            report.facts.insert(CAUSE_FACT.to_owned(), failed.into());
        }
        report
            .note("the tests were not run again: they ran in the agent's container, which is gone");
        self.reward(&ends, &results["agent_metrics"], &mut report)?;
        Ok(report)
    }

    /// Scores rewards. Without one the rollout failed, whoever is to blame: what is in the container is the agent's doing.
    fn reward(
        &self,
        ends: &StepEnds,
        agent_metrics: &Value,
        report: &mut Report,
    ) -> Result<(), AgentError> {
        let scored = ends.scored(self.options.pass_score);
        let heading = Heading {
            task_id: &self.task.id,
            run_id: &self.trial.name,
            agent_metrics,
            diff_lines: None,
        };
        scored.write(&self.trial.dir, &heading, &self.redactor)?;
        self.scored(&scored, report);
        if let (None, Some(why)) = (ends.rewards(), ends.problem()) {
            report.end = RolloutEnd::Failed;
            let cause = report.facts.entry(CAUSE_FACT.to_owned());
            cause.or_insert_with(|| format!("no reward: {why}").into());
        }
        Ok(())
    }

    fn resolved(&self, variables: &Variables) -> Result<Env, AgentError> {
        resolved(variables, &self.env).map_err(|message| AgentError::Setup {
            message,
            permanent: true,
        })
    }

    /// The folders that the container shares with us.
    fn logs_room(&self) -> Result<Room, AgentError> {
        let logs = self.work.join("logs");
        let room = Room {
            workspace: self.work.join("workspace"),
            inputs: self.work.join("inputs"),
            out: logs.join("agent"),
            home: self.work.join("home"),
            tmp: self.work.join("tmp"),
            name: self.name(),
        };
        for folder in [&room.workspace, &room.inputs, &room.home, &room.tmp] {
            fs::create_dir_all(folder).at("create", folder)?;
        }
        for name in ["agent", "verifier", "artifacts"] {
            let folder = logs.join(name);
            fs::create_dir_all(&folder).at("create", &folder)?;
            // Whoever the agent and the tests are inside, they write here.
            let anybody = fs::Permissions::from_mode(0o777);
            fs::set_permissions(&folder, anybody).at("change the rights of", &folder)?;
        }
        Ok(room)
    }
}

fn mounts(room: &Room) -> Vec<Mount> {
    let shared = |from: PathBuf, to| Mount {
        from,
        to,
        is_read_only: false,
    };
    vec![
        Mount {
            from: room.inputs.clone(),
            to: INPUTS,
            is_read_only: true,
        },
        shared(room.out.clone(), OUT),
        shared(beside(room, "verifier"), VERIFIER),
        shared(beside(room, "artifacts"), ARTIFACTS),
    ]
}
