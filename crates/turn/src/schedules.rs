//! Concurrency tests: the production code of this crate under shuttle, which explores the
//! interleavings of threads.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test -p sayso-turn --lib schedules::` runs every scenario with
//! many schedules. All randomness is seeded with the number of the schedule: `SAYSO_SCHEDULE`
//! replays a failing one alone. `SAYSO_SCHEDULES` sets how many there are.
//!
//! Limits: tokio's `Notify` and `oneshot` run as one step, and atomics are sequentially consistent.

mod engine;
mod races;
mod scheduler;
mod time;
mod world;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use shuttle::{Config, MaxSteps, Runner, future::block_on};

use self::{scheduler::RandomScheduler, time::Time};

/// Default number of schedules of a scenario.
const SCHEDULES: u64 = 3_000;
/// Time-out of a scenario, however many schedules it has run.
const TIME_MAX: Duration = Duration::from_secs(120);
/// Maximum steps of a schedule: beyond that it is a livelock.
const STEPS_MAX: usize = 200_000;
/// The engine's frames are larger than shuttle expects.
const STACK_BYTES: usize = 512 << 10;

/// Runs a scenario with many schedules. The scenario gets the number of the schedule.
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "the output of the test")]
fn explore<F, S>(name: &str, scenario: S)
where
    F: Future<Output = ()> + 'static,
    S: Fn(Time, u64) -> F + Send + Sync + 'static,
{
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let (first, count) = match number("SAYSO_SCHEDULE") {
        Some(one) => (one, 1),
        None => (0, number("SAYSO_SCHEDULES").unwrap_or(SCHEDULES)),
    };
    let (time, playing) = (Time::default(), Arc::new(AtomicU64::new(first)));
    let scheduler = RandomScheduler::new(first..first + count, time.clone(), Arc::clone(&playing));
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(STEPS_MAX);
    config.max_time = Some(TIME_MAX);
    config.silence_warnings = true;
    let now = Arc::clone(&playing);
    let played = catch_unwind(AssertUnwindSafe(|| {
        Runner::new(scheduler, config).run(move || {
            let time = time.clone();
            time.start();
            block_on(scenario(time, now.load(Ordering::Relaxed)));
        })
    }));
    match played {
        Ok(count) => println!("shuttle, {name}: {count} schedules, 0 broken"),
        Err(panic) => {
            let broken = playing.load(Ordering::Relaxed);
            eprintln!("shuttle, {name}: broken; play it again with SAYSO_SCHEDULE={broken}");
            resume_unwind(panic)
        }
    }
}
