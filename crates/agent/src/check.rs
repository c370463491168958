//! What is wrong with a task, found before a token is spent on it.

use crate::adapter;
use crate::adapter::MINIMAL;
use crate::findings::Findings;
use crate::model_api::NO_MODELS;
use crate::paths::is_inside;
use crate::rollout::timeout::{TIMEOUT_VARIABLE, timeout_seconds};
use crate::sandbox::contract::find_program;
use crate::sandbox::image::Recipe;
use crate::sandbox::opening::{self, NEEDS_CONTAINER};
use crate::sandbox::probe;
use crate::sandbox::setting::Setting;
use crate::task::AgentTask;
use fairtrial_model::Params;
use fairtrial_spec::{AgentChoice, Limits, RolloutOptions, SandboxChoice, SandboxKind, Task};
use std::collections::HashSet;

/// Looks at what a task says about its own scoring.
pub fn check_task(task: &AgentTask, findings: &mut Findings) {
    if task.instructions.trim().is_empty() {
        findings.error("it has no instructions for the agent (`lm.instructions`)");
    }
    if task
        .setup
        .as_ref()
        .is_some_and(|text| text.trim().is_empty())
    {
        findings.error("`setup.sh` is empty");
    }
    check_rubrics(task, findings);
    check_tests(task, findings);
}

fn check_rubrics(task: &AgentTask, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for rubric in &task.rubrics {
        let id = &rubric.id;
        if id.is_empty() {
            findings.error("a rubric has no id");
        } else if !seen.insert(id) {
            findings.error(format!("two rubrics have the id `{id}`"));
        }
        if !rubric.weight.is_finite() || rubric.weight < 0.0 {
            findings.error(format!(
                "rubric `{id}` has the weight {}; it must be 0 or more",
                rubric.weight
            ));
        }
    }
    let total: f64 = task.rubrics.iter().map(|rubric| rubric.weight).sum();
    if !task.rubrics.is_empty() && total == 0.0 {
        findings.error("the weights of the rubrics add up to 0, so there is no score");
    } else if !task.rubrics.is_empty() && (total - 1.0).abs() > 1e-6 {
        findings.warn(format!(
            "the weights of the rubrics add up to {total}, not 1; the score divides by their sum"
        ));
    }
    let is_scored = task.evaluation_script.is_some() || task.contained.is_some();
    if task.rubrics.is_empty() && task.tests.is_empty() && !is_scored {
        findings.warn("it has no rubrics and no tests: its rollouts get no score");
    }
}

/// Names the rubrics that nothing may score, for a task without a judge.
pub fn check_unscored(task: &AgentTask, findings: &mut Findings) {
    for rubric in &task.rubrics {
        let id = &rubric.id;
        if !task.tests.iter().any(|test| test.rubric_id == *id) {
            findings.warn(format!(
                "no test tells about rubric `{id}`: it is shown, and left out of the score unless a judge or an evaluation script scores it"
            ));
        }
    }
}

fn check_tests(task: &AgentTask, findings: &mut Findings) {
    let mut paths = HashSet::new();
    for test in task.tests.iter().chain(&task.evaluation_script) {
        let path = &test.path;
        if !is_inside(path) {
            findings.error(format!(
                "test script `{path}` is not a path inside the workspace"
            ));
        }
        if !paths.insert(path) {
            findings.error(format!("two test scripts have the path `{path}`"));
        }
        if test
            .content
            .as_ref()
            .is_some_and(|text| text.trim().is_empty())
            && test.command.is_none()
        {
            findings.error(format!("test script `{path}` is empty"));
        }
        if !test.rubric_id.is_empty()
            && !task.rubrics.is_empty()
            && !task
                .rubrics
                .iter()
                .any(|rubric| rubric.id == test.rubric_id)
        {
            findings.warn(format!(
                "test script `{path}` belongs to rubric `{}`, which is not there: its result does not count",
                test.rubric_id
            ));
        }
    }
}

/// Looks whether what is to limit an agent's time is a time. What each trial fills in is looked at there.
pub fn check_timeout(of_spec: &Task, task: &AgentTask, findings: &mut Findings) {
    let param = of_spec.params.get(TIMEOUT_VARIABLE).map(Params::display);
    let variable = of_spec.env.get(TIMEOUT_VARIABLE);
    let variable = variable.or_else(|| task.env.get(TIMEOUT_VARIABLE));
    let given = param.or_else(|| variable.cloned());
    let known = given.filter(|text| of_spec.limits.wall_s.is_none() && !text.contains(['{', '$']));
    if let Some(Err(message)) = known.map(|text| timeout_seconds(&text)) {
        findings.error(message);
    }
}

/// Looks whether all that a spec says about a task has an effect, also where its sandbox is found out only on this machine.
pub fn check_options(
    options: &RolloutOptions,
    limits: &Limits,
    task: &AgentTask,
    findings: &mut Findings,
) {
    let in_container = opening::kind(&options.sandbox).is_container();
    if task.contained.is_some() && !in_container {
        findings.error(NEEDS_CONTAINER);
    } else if task.image.is_some() && !in_container {
        findings.warn(
            "its `Dockerfile` is built for the sandboxes podman and docker only; this one is another",
        );
    }
    check_contained(options, task, findings);
    if options.judge.is_none() {
        check_unscored(task, findings);
    }
    if options.setup_timeout_s.is_some() && options.setup.is_empty() && task.setup.is_none() {
        findings.error(
            "`setup_timeout` is given, but there is no setup: neither `setup` nor a `setup.sh` in the task's folder",
        );
    }
    if options.judge.is_some() && !cfg!(feature = "judge") {
        findings.error(format!("its `judge` cannot be asked: {NO_MODELS}"));
    }
    if options.agent.name == MINIMAL && !cfg!(feature = "judge") {
        findings.error(format!(
            "its agent `{MINIMAL}` cannot ask a model: {NO_MODELS}"
        ));
    }
    if let Err(error) = opening::usable_kind(&options.sandbox) {
        findings.error(error.to_string());
    }
    if in_container && limits.cpu_s.is_some() {
        findings
            .warn("`limits.cpu_time` does not reach into a container; `cpus` of the sandbox does");
    }
}

/// Looks at what a task that lives in a container needs and what has no place there.
fn check_contained(options: &RolloutOptions, task: &AgentTask, findings: &mut Findings) {
    let Some(contained) = &task.contained else {
        return;
    };
    for (name, of_solution) in contained.needed_variables() {
        let is_needed = !of_solution || options.agent.name == "oracle";
        if is_needed && std::env::var_os(name).is_none() {
            findings.error(format!(
                "the task needs your variable `{name}`, which is not set"
            ));
        }
    }
    if options.judge.is_some() {
        findings.error(format!(
            "`judge` scores rubrics, and a task of {} has none: its tests give the reward",
            contained.format
        ));
    }
}

/// Looks whether caps on money can hold: `of_run` says whether the run has one.
pub fn check_cost_caps(agent: &AgentChoice, of_run: bool, findings: &mut Findings) {
    let silent = matches!(agent.name.as_str(), "command" | "codex" | MINIMAL);
    if agent.price.is_some() || !silent {
        return;
    }
    let how = if agent.name == "command" {
        "unless it reports `cost_usd` (usage.json), "
    } else {
        ""
    };
    let own = agent.max_cost.map(|_| "`max_cost`");
    let caps = own
        .into_iter()
        .chain(of_run.then_some("`cost` of [budget]"));
    for cap in caps {
        findings.warn(format!(
            "{how}{cap} does not hold: the agent has no `price`, so its costs are unknown"
        ));
    }
}

/// Looks whether this machine has what an agent and what comes before it need.
pub fn check_machine(
    agent: &AgentChoice,
    options: &RolloutOptions,
    recipe: Option<&Recipe>,
    findings: &mut Findings,
) {
    if !fairtrial_spec::AGENTS.contains(&agent.name.as_str()) {
        findings.error(format!(
            "there is no agent `{}`; there are {}",
            agent.name,
            fairtrial_spec::AGENTS.join(", ")
        ));
        return;
    }
    if agent.name == "command" && agent.command.is_empty() {
        findings.error("the agent `command` has no command");
    }
    let (choice, setting) = (
        &options.sandbox,
        Setting {
            recipe: recipe.cloned(),
            ..Setting::default()
        },
    );
    if let Err(error) = probe::answers(choice, setting) {
        findings.error(error.to_string());
        return;
    }
    let setup = options.setup.first().map(String::as_str);
    for (whose, program) in [("agent's", adapter::program(agent)), ("setup's", setup)] {
        if let Some(program) = program.filter(|program| !program.contains('{'))
            && let Some(problem) = missing(program, choice)
        {
            findings.error(format!("the {whose} program {problem}"));
        }
    }
}

/// Why a program is not there where it is to run, as far as that shows before.
fn missing(program: &str, choice: &SandboxChoice) -> Option<String> {
    let kind = opening::kind(choice);
    match kind {
        // What is in an image or elsewhere shows when it is started.
        SandboxKind::Podman | SandboxKind::Docker | SandboxKind::Modal => None,
        SandboxKind::Process if program.contains('/') => None,
        SandboxKind::Process | SandboxKind::Bubblewrap => {
            let found = find_program(program).is_some() || program.starts_with("./");
            (!found).then(|| format!("`{program}` is not found in PATH"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{check_task, check_unscored};
    use crate::findings::Findings;
    use crate::task::{AgentTask, Rubric, TestScript};

    #[test]
    fn everything_wrong_with_a_task_is_said_at_once() {
        let rubric = |id: &str, weight| Rubric {
            id: id.into(),
            criterion: String::new(),
            weight,
        };
        let test = |path: &str, rubric: &str| TestScript {
            path: path.into(),
            rubric_id: rubric.into(),
            content: Some(" ".into()),
            ..TestScript::default()
        };
        let task = AgentTask {
            rubrics: vec![rubric("a", -1.0), rubric("a", 0.5), rubric("b", 0.5)],
            tests: vec![test("../out.sh", "a"), test("t.sh", "nobody")],
            ..AgentTask::default()
        };
        let mut findings = Findings::default();
        check_task(&task, &mut findings);
        let all = findings.errors.join("\n");
        for part in [
            "no instructions",
            "two rubrics have the id `a`",
            "weight -1",
            "not a path inside",
            "`t.sh` is empty",
            "add up to 0",
        ] {
            assert!(all.contains(part), "{part}: {all}");
        }
        check_unscored(&task, &mut findings);
        assert!(
            findings.warnings.iter().any(|text| text.contains("`b`")),
            "{findings:?}"
        );
    }
}
