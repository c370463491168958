//! How often an experiment is executed where its spec does not say: warm-up until the times are stable, then for about as
//! long as asked, with several executions inside each time where one is too short for the clock.

use super::Session;
use super::iterate::Iterations;
use crate::course::Course;
use crate::request::DriveTask;
use crate::trouble::Trouble;
use crate::worker::WorkerProcess;
use fairtrial_experiment::Phase;
use fairtrial_experiment::protocol::Sample;
use fairtrial_model::DURATION;
use fairtrial_stats::descriptive::{QuantileRule, quantile_sorted};
use rustix::time::{ClockId, clock_gettime};
use std::fs;

/// No more times than this are kept of a process.
const MOST_MEASURED: f64 = 1000.0;
/// A time is at least so many steps of the clock.
const CLOCK_STEPS: f64 = 1000.0;
/// Executions inside one time at most.
const MOST_INNER: f64 = 1e9;
/// Two parts of the warm-up whose medians differ by less than this share are alike.
const ALIKE: f64 = 0.05;
/// A process measures for as many times the asked time at most, where other programs are in the way.
const MOST_STRETCH: f64 = 3.0;
/// The warm-up is looked at in parts of this share of the measured time.
const PART: f64 = 0.05;

impl Session<'_> {
    /// Warms up, and decides how often to measure.
    pub(super) fn warm_up(&mut self, worker: &mut WorkerProcess) -> Result<Course, Trouble> {
        let DriveTask {
            warmup, measured, ..
        } = *self.task;
        let mut course = Course::asked(self.task);
        if let Some(count) = warmup {
            self.iterate(worker, Iterations::new(Phase::Warmup, u64::from(count)))?;
        }
        if measured.is_some() {
            return Ok(course);
        }
        let step = clock_step_s();
        let least = (course.min_time_s / MOST_MEASURED).max(CLOCK_STEPS * step);
        course.clock_step_s = Some(step);
        let mut spent = self.fill(worker, &mut course, least)?;
        let mut one = OneTime::of(
            &[spent.last().copied().unwrap_or(course.min_time_s)],
            (0.0, 0.0),
        );
        if warmup.is_none() {
            one = self.until_stable(worker, &mut course, &mut spent, one)?;
        }
        course.measured = one.times_in(course.min_time_s);
        Ok(course)
    }

    /// Raises the executions inside one time until it is long enough; gives the times that this took.
    fn fill(
        &mut self,
        worker: &mut WorkerProcess,
        course: &mut Course,
        least: f64,
    ) -> Result<Vec<f64>, Trouble> {
        let mut spent: Vec<f64> = Vec::new();
        loop {
            // The first execution of all is often far slower than the others: it says nothing about them.
            let count = if spent.is_empty() { 1 } else { 2 };
            let asked = Iterations::new(Phase::Warmup, count).inside(course.inner);
            let found = self.iterate(worker, asked)?;
            course.warmup += count;
            let Some(last) = found.last() else {
                return Ok(spent);
            };
            let first = spent.is_empty();
            let shortest = found.iter().map(seconds).fold(f64::INFINITY, f64::min);
            spent.extend(found.iter().map(seconds));
            let known = last.executions() == course.inner;
            if !known || last.metrics.contains_key(DURATION) {
                // The worker executes once whatever it is asked, or the experiment has a clock of its own.
                course.inner = 1;
                return Ok(spent);
            }
            if shortest >= course.min_time_s || (!first && shortest >= least) {
                return Ok(spent);
            }
            if first && shortest >= least {
                continue;
            }
            let more = (least / shortest.max(1e-9)).clamp(1.5, 100.0);
            let inner = (course.inner as f64 * more).ceil().min(MOST_INNER);
            if inner as u64 == course.inner {
                return Ok(spent);
            }
            course.inner = inner as u64;
        }
    }

    /// Goes on warming up until two parts after each other are alike, or it took as long as it may; gives what one time
    /// takes by then.
    fn until_stable(
        &mut self,
        worker: &mut WorkerProcess,
        course: &mut Course,
        spent: &mut Vec<f64>,
        mut one: OneTime,
    ) -> Result<OneTime, Trouble> {
        let mut before = None;
        course.stable = Some(false);
        while spent.iter().sum::<f64>() < course.min_time_s {
            let count = (PART * course.min_time_s / one.middle)
                .round()
                .clamp(3.0, 100.0) as u64;
            let asked = Iterations::new(Phase::Warmup, count).inside(course.inner);
            let before_it = waited_s(worker.pid());
            let found = self.iterate(worker, asked)?;
            let waited = waited_s(worker.pid()) - before_it;
            let part: Vec<f64> = found.iter().map(seconds).collect();
            let cpu: u64 = found.iter().filter_map(|sample| sample.cpu_ns).sum();
            course.warmup += count;
            spent.extend(&part);
            one = OneTime::of(&part, (waited, cpu as f64 / 1e9));
            if before.is_some_and(|before: f64| (one.middle / before - 1.0).abs() <= ALIKE) {
                course.stable = Some(true);
                break;
            }
            before = Some(one.middle);
        }
        Ok(one)
    }
}

/// How long one time takes, in seconds.
#[derive(Debug, Clone, Copy)]
struct OneTime {
    middle: f64,
    /// Without waiting for a CPU.
    alone: f64,
}

impl OneTime {
    /// From some of them, during which and between which the worker waited for a CPU for so many seconds, and that took so
    /// many of CPU time.
    fn of(times: &[f64], (waited, cpu): (f64, f64)) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let all: f64 = times.iter().sum();
        Self {
            middle: quantile_sorted(&sorted, 0.5, QuantileRule::Linear).max(1e-9),
            alone: (all - waited).max(cpu) / times.len().max(1) as f64,
        }
    }

    /// How many times make up so many seconds of the worker's own: on a busy machine as many as on a quiet one, as far as
    /// that takes no more than `MOST_STRETCH` times as long.
    fn times_in(self, seconds: f64) -> u64 {
        let each = self.alone.max(self.middle / MOST_STRETCH);
        (seconds / each).round().clamp(1.0, MOST_MEASURED) as u64
    }
}

/// How long a process was ready to run and had no CPU so far; 0 where the system does not say.
fn waited_s(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    let nanos = text
        .split_whitespace()
        .nth(1)
        .and_then(|it| it.parse().ok());
    nanos.map_or(0.0, |nanos: f64| nanos / 1e9)
}

/// What one time took, all executions inside.
fn seconds(sample: &Sample) -> f64 {
    sample.wall_ns as f64 / 1e9
}

/// The smallest step that the clock of the worker is seen to make, with the cost of reading it.
fn clock_step_s() -> f64 {
    let step = |_| {
        let began = clock_gettime(ClockId::Monotonic);
        let mut after = clock_gettime(ClockId::Monotonic);
        while after == began {
            after = clock_gettime(ClockId::Monotonic);
        }
        (after.tv_sec - began.tv_sec) as f64 + (after.tv_nsec - began.tv_nsec) as f64 / 1e9
    };
    (0..100).map(step).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::OneTime;

    #[test]
    fn a_busy_machine_takes_as_many_times_as_a_quiet_one_up_to_a_limit() {
        let times_in_a_second = |times: &[f64], rest| OneTime::of(times, rest).times_in(1.0);
        assert_eq!(times_in_a_second(&[0.005, 0.005, 0.005], (0.0, 0.015)), 200);
        assert_eq!(times_in_a_second(&[0.010, 0.004, 0.010], (0.009, 0.0)), 200);
        // It waited between them, too.
        assert_eq!(
            times_in_a_second(&[0.005, 0.005, 0.005], (0.012, 0.015)),
            200
        );
        // Three seconds at most, as far as is known.
        assert_eq!(
            times_in_a_second(&[0.030, 0.030, 0.030], (0.075, 0.015)),
            100
        );
        assert_eq!(times_in_a_second(&[5.0], (0.0, 0.0)), 1);
        assert_eq!(times_in_a_second(&[1e-6, 1e-6], (0.0, 0.0)), 1000);
    }
}
