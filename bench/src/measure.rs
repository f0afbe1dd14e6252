//! Measurement of wall and CPU time, and the median of many figures.

use std::{fmt, time::Instant};

use rustix::time::{ClockId, clock_gettime};

/// Cost of a piece of work, in microseconds per step.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall time.
    pub wall: f64,
    /// CPU time of all threads of this process.
    pub cpu: f64,
    /// CPU time of the calling thread, which is the engine's.
    pub own: f64,
}

impl Cost {
    /// Measures a piece of work of so many steps.
    pub fn of(steps: usize, work: impl FnOnce()) -> Self {
        let (began, cpu, own) = (Instant::now(), cpu_of_process(), cpu_of_thread());
        work();
        let (wall, cpu, own) =
            (began.elapsed().as_secs_f64() * 1e6, cpu_of_process() - cpu, cpu_of_thread() - own);
        let steps = steps as f64;
        Self { wall: wall / steps, cpu: cpu / steps, own: own / steps }
    }
}

fn cpu_of_process() -> f64 {
    micros(ClockId::ProcessCPUTime)
}

fn cpu_of_thread() -> f64 {
    micros(ClockId::ThreadCPUTime)
}

fn micros(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// Median and interquartile range.
#[derive(Clone, Copy, Debug)]
pub struct Middle {
    /// The median.
    pub median: f64,
    /// Lower quartile.
    pub low: f64,
    /// Upper quartile.
    pub high: f64,
}

impl Middle {
    /// Computes the median of at least one figure.
    ///
    /// # Panics
    /// When there is none.
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        let at = |share: usize| {
            let figure = figures.get((figures.len() - 1) * share / 4);
            *figure.expect("there is a figure")
        };
        Self { median: at(2), low: at(1), high: at(3) }
    }
}

impl fmt::Display for Middle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, low, high } = self;
        f.pad(&format!("{median:.1} ({low:.1}-{high:.1})"))
    }
}
