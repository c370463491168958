//! The tables that hyperfine writes, for the scripts that read them.

use super::bench_answer::BenchNumbers;
use super::unit::Unit;
use fairtrial_analysis::bench::Timing;
use fairtrial_model::Params;
use fairtrial_text::escape;

/// What hyperfine writes with `--export-csv`.
pub fn csv(commands: &[Timing]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let titles = [
        "command", "mean", "stddev", "median", "user", "system", "min", "max",
    ];
    let mut parameters: Vec<&str> = Vec::new();
    for (name, _) in commands.iter().flat_map(|of| of.parameters.iter()) {
        if !parameters.contains(&name) {
            parameters.push(name);
        }
    }
    let titles = titles.map(str::to_owned).into_iter();
    let named = |name: &&str| escape::csv(&format!("parameter_{name}")).into_owned();
    writer.write_record(titles.chain(parameters.iter().map(named)))?;
    for of in commands {
        let numbers = [
            of.mean,
            of.sd.unwrap_or(0.0),
            of.median,
            of.user,
            of.system,
            of.min,
            of.max,
        ];
        let name = escape::csv(&of.name).into_owned();
        let value = |name: &&str| {
            let value = of
                .parameters
                .get(name)
                .map_or_else(String::new, Params::display);
            escape::csv(&value).into_owned()
        };
        let numbers = numbers.map(|number| number.to_string());
        let values = parameters.iter().map(value);
        writer.write_record(std::iter::once(name).chain(numbers).chain(values))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What hyperfine writes with `--export-markdown`; the fastest command is the one that others are relative to.
pub fn markdown(commands: &[Timing]) -> String {
    let unit = Unit::of(BenchNumbers::Times, commands.iter().map(|of| of.mean));
    let name = unit.name();
    let mut lines = vec![
        format!("| Command | Mean [{name}] | Min [{name}] | Max [{name}] | Relative |"),
        "|:---|---:|---:|---:|---:|".to_owned(),
    ];
    let fastest = commands
        .iter()
        .filter(|of| of.mean > 0.0)
        .min_by(|a, b| a.mean.total_cmp(&b.mean));
    for of in commands {
        let number = |seconds: f64| format!("{:.1}", unit.of_seconds(seconds));
        let mean = match of.sd {
            Some(sd) => format!("{} ± {}", number(of.mean), number(sd)),
            None => number(of.mean),
        };
        lines.push(format!(
            "| {} | {mean} | {} | {} | {} |",
            command(&of.name),
            number(of.min),
            number(of.max),
            relative(of, fastest)
        ));
    }
    lines.join("\n") + "\n"
}

/// A command as code; one that would end the code is written as text.
fn command(name: &str) -> String {
    if name.contains('`') {
        return escape::markdown(name);
    }
    let shown = escape::terminal_line(name);
    format!("`{}`", shown.replace('|', "\\|"))
}

/// `1.00` for the fastest; else the ratio of the means with its standard deviation, by propagation of error.
fn relative(of: &Timing, fastest: Option<&Timing>) -> String {
    let Some(fastest) = fastest else {
        return String::new();
    };
    if of.name == fastest.name {
        return "1.00".to_owned();
    }
    let ratio = of.mean / fastest.mean;
    match (of.sd, fastest.sd) {
        (Some(own), Some(other)) => {
            let spread = ratio * (own / of.mean).hypot(other / fastest.mean);
            format!("{ratio:.2} ± {spread:.2}")
        }
        _ => format!("{ratio:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{csv, markdown};
    use fairtrial_analysis::bench::Timing;

    fn timing(name: &str, mean: f64, sd: f64) -> Timing {
        Timing {
            name: name.to_owned(),
            parameters: fairtrial_model::Params::new(),
            runs: 2,
            failures: 0,
            mean,
            interval: None,
            sd: Some(sd),
            median: mean,
            min: mean - sd,
            max: mean + sd,
            user: 0.001,
            system: 0.002,
            memory: None,
            memory_is_bound: false,
            waited: None,
            values: vec![mean - sd, mean + sd],
            exit_codes: vec![Some(0); 2],
            seeds: vec![1, 2],
        }
    }

    #[test]
    fn tables_are_those_of_hyperfine() {
        let commands = [
            timing("a | b, c", 0.02, 0.001),
            timing("quick", 0.01, 0.001),
        ];
        let text = csv(&commands).unwrap();
        assert_eq!(
            text,
            "command,mean,stddev,median,user,system,min,max\n\
             \"a | b, c\",0.02,0.001,0.02,0.001,0.002,0.019,0.021\n\
             quick,0.01,0.001,0.01,0.001,0.002,0.009000000000000001,0.011\n"
        );
        assert_eq!(
            markdown(&commands),
            "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n\
             |:---|---:|---:|---:|---:|\n\
             | `a \\| b, c` | 20.0 ± 1.0 | 19.0 | 21.0 | 2.00 ± 0.22 |\n\
             | `quick` | 10.0 ± 1.0 | 9.0 | 11.0 | 1.00 |\n"
        );
    }
}
