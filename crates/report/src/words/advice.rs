//! What would settle an open question.

use fairtrial_analysis::compare::{Advice, UnitKind};

/// ` To settle it: `run --until decided` with more seeds, or a fresh run of about 31 pairs of seeds. Adding to these …`
pub(crate) fn advice(advice: &Advice) -> String {
    let word = advice.unit.word();
    let what = match (advice.paired, advice.unit) {
        // More tries of the same tasks say little about other tasks, and a run with looks has no more tasks.
        (true, UnitKind::Task) => return more_tasks(advice.fresh),
        (true, _) => format!("pairs of {word}s"),
        (false, _) => format!("{word}s on each side"),
    };
    let each = if advice.in_each_task {
        " in each task"
    } else {
        ""
    };
    if !advice.until_decided {
        return measured_afresh(advice, &format!("{what}{each}"));
    }
    let fresh = advice.fresh.map_or(String::new(), |units| {
        let units = fairtrial_text::count::count(units);
        format!(", or a fresh run of about {units} {what}{each}")
    });
    format!(
        " To settle it: `run --until decided` with more {word}s{fresh}. Adding to these and looking again would not keep the error rate."
    )
}

/// Where no spec says how more of them are had.
fn measured_afresh(advice: &Advice, what: &str) -> String {
    let needed = advice.fresh.map_or_else(
        || format!("more {}s", advice.unit.word()),
        |units| format!("about {} {what}", fairtrial_text::count::count(units)),
    );
    format!(
        " To settle it: {needed}, all measured afresh. Adding to these and looking again would not keep the error rate."
    )
}

fn more_tasks(fresh: Option<u64>) -> String {
    let about = fresh.map_or(String::new(), |tasks| {
        format!(" (about {} in all)", fairtrial_text::count::count(tasks))
    });
    format!(
        " To settle it: a fresh run with more tasks{about}. Adding to these and looking again would not keep the error rate."
    )
}

#[cfg(test)]
mod tests {
    use super::advice;
    use fairtrial_analysis::compare::{Advice, UnitKind};

    #[test]
    fn where_tasks_are_counted_only_more_tasks_settle_it() {
        let of = |unit, fresh| Advice {
            fresh,
            unit,
            paired: true,
            in_each_task: false,
            until_decided: true,
        };
        let tasks = advice(&of(UnitKind::Task, Some(61)));
        assert!(tasks.contains("more tasks (about 61 in all)"), "{tasks}");
        let few = advice(&of(UnitKind::Task, None));
        assert!(few.contains("more tasks. Adding"), "{few}");
        let seeds = advice(&of(UnitKind::Seed, None));
        assert!(
            seeds.contains("`run --until decided` with more seeds."),
            "{seeds}"
        );
    }

    #[test]
    fn what_no_spec_can_run_is_measured_afresh() {
        let of = |fresh| Advice {
            fresh,
            unit: UnitKind::Seed,
            paired: true,
            in_each_task: false,
            until_decided: false,
        };
        let known = advice(&of(Some(31)));
        assert!(
            known.contains("To settle it: about 31 pairs of seeds, all measured afresh."),
            "{known}"
        );
        let open = advice(&of(None));
        assert!(open.contains("To settle it: more seeds, all"), "{open}");
        assert!(!known.contains("run --") && !open.contains("run --"));
    }
}
