//! What was typed, as the library takes it.

use super::Args;
use crate::exit::Failure;
use fairtrial_model::{Quiet, TimedOutput};
use fairtrial_session::{
    BenchCommand, BenchParameter, BenchQuestion, Runs, ShellChoice, quiet_cpu,
};
use fairtrial_text::count::counted;

impl Args {
    /// What was typed, as the library takes it.
    pub(super) fn question(&self) -> Result<BenchQuestion, Failure> {
        let (output, shows_output) = self.outputs();
        Ok(BenchQuestion {
            parameters: self.parameters()?,
            shell: self.shell_choice(),
            output,
            shows_output,
            input: self.input.clone().filter(|input| input != "null"),
            warmup: self.warmup,
            setup: self.setup.clone(),
            prepare: self.prepare.clone(),
            conclude: self.conclude.clone(),
            cleanup: self.cleanup.clone(),
            accepts: self.ignore_failure.clone().unwrap_or_default(),
            runs: match self.runs {
                Some(runs) => Runs::exactly(runs),
                None => Runs {
                    least: self.min_runs,
                    most: self.max_runs,
                    limit: self.timed.time_limit(),
                },
            },
            quiet: self.quiet()?,
            saves: !self.no_save,
            ..self.timed.question(self.named_commands()?)
        })
    }

    /// hyperfine's files hold seconds.
    pub(super) fn check_exports(&self) -> Result<(), Failure> {
        let exports = [&self.export_json, &self.export_csv, &self.export_markdown];
        if self.timed.metric().counter().is_some() && exports.iter().any(|file| file.is_some()) {
            let why = "hyperfine's files hold times: they cannot be exported with a --metric that is counted";
            return Err(Failure::input(why).hint("--json prints the counts of every run"));
        }
        Ok(())
    }

    fn quiet(&self) -> Result<Quiet, Failure> {
        let unknown = || Failure::input("--pin: this system does not say which CPUs may be used");
        let cpu = self.pin.then(|| quiet_cpu().ok_or_else(unknown));
        Ok(Quiet {
            cpu: cpu.transpose()?,
            nice: self.nice,
            fixed_addresses: self.no_aslr,
        })
    }

    fn outputs(&self) -> (TimedOutput, bool) {
        match self.output.as_deref() {
            _ if self.show_output => (TimedOutput::Pipe, true),
            Some("inherit") => (TimedOutput::Pipe, true),
            None | Some("null") => (TimedOutput::Discard, false),
            Some("pipe") => (TimedOutput::Pipe, false),
            Some(file) => (TimedOutput::File(file.to_owned()), false),
        }
    }

    fn shell_choice(&self) -> ShellChoice {
        match self.shell.as_deref() {
            _ if self.no_shell => ShellChoice::Never,
            None => ShellChoice::WhenNeeded,
            Some("none") => ShellChoice::Never,
            Some("default") => ShellChoice::Named("/bin/sh".to_owned()),
            Some(shell) => ShellChoice::Named(shell.to_owned()),
        }
    }

    fn parameters(&self) -> Result<Vec<BenchParameter>, Failure> {
        let lists = self.parameter_list.chunks_exact(2);
        let lists = lists.map(|list| Ok(BenchParameter::list(&list[0], &list[1])));
        let scans = self.parameter_scan.chunks_exact(3);
        let scans = scans.map(|scan| {
            let range = [&*scan[1], &*scan[2], &*self.parameter_step_size];
            Ok(BenchParameter::scan(&scan[0], range)?)
        });
        lists.chain(scans).collect()
    }

    fn named_commands(&self) -> Result<Vec<BenchCommand>, Failure> {
        if let (true, [_, ..]) = (self.timed.has_revisions(), &self.commands[..]) {
            return Ok(vec![BenchCommand::of_words(&self.commands)]);
        }
        if self.commands.is_empty() {
            return self.commands_in_names();
        }
        if self.names.len() > self.commands.len() {
            return Err(Failure::input(format!(
                "there are {} for {}",
                counted(self.names.len(), "name"),
                counted(self.commands.len(), "command")
            )));
        }
        let commands = self.commands.iter().enumerate();
        Ok(commands
            .map(|(place, text)| BenchCommand::new(self.names.get(place).cloned(), text))
            .collect())
    }

    fn commands_in_names(&self) -> Result<Vec<BenchCommand>, Failure> {
        if self.names.is_empty() {
            let hint = "fairtrial bench 'command one' 'command two'";
            return Err(Failure::input("there is no command to time").hint(hint));
        }
        let named = self.names.iter().map(|given| {
            let (name, text) = given.split_once('=').ok_or_else(|| {
                Failure::input(format!("`-n {given}` names no command"))
                    .hint("write -n NAME='COMMAND', or give the commands after the names")
            })?;
            Ok(BenchCommand::new(Some(name.to_owned()), text))
        });
        named.collect()
    }
}
