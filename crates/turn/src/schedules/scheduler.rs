//! Random scheduler with three strategies, used in turn.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};

use super::time::{KEEPER, Time};

/// Scheduler whose choices are seeded with the number of the schedule.
pub(super) struct RandomScheduler {
    numbers: Range<u64>,
    time: Time,
    /// Number of the current schedule.
    playing: Arc<AtomicU64>,
    rng: fastrand::Rng,
    strategy: Strategy,
}

/// Strategy for choosing the next thread.
enum Strategy {
    /// Uniformly random.
    Even,
    /// The current thread usually continues.
    Sticky,
    /// By random priority (PCT). From time to time the current thread gets the lowest priority: a
    /// few such changes at the right places find most races.
    Ranked { ranks: BTreeMap<usize, u64>, last: u64, change_in: u64 },
}

impl RandomScheduler {
    pub(super) fn new(numbers: Range<u64>, time: Time, playing: Arc<AtomicU64>) -> Self {
        Self { numbers, time, playing, rng: fastrand::Rng::with_seed(0), strategy: Strategy::Even }
    }
}

impl Scheduler for RandomScheduler {
    fn new_execution(&mut self) -> Option<Schedule> {
        let number = self.numbers.next()?;
        self.playing.store(number, Ordering::Relaxed);
        self.time.reset();
        self.rng = fastrand::Rng::with_seed(number);
        self.strategy = match number % 3 {
            0 => Strategy::Even,
            1 => Strategy::Sticky,
            _ => {
                let change_in = self.rng.u64(1..200);
                Strategy::Ranked { ranks: BTreeMap::new(), last: u64::MAX >> 1, change_in }
            }
        };
        Some(Schedule::new(number))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let can_time_go_on = runnable.len() == 1 || self.time.is_near();
        let ids = runnable.iter().map(|task| usize::from(task.id()));
        let ids: Vec<usize> = ids.filter(|id| *id != KEEPER || can_time_go_on).collect();
        let current = current.map(usize::from).filter(|id| !is_yielding && ids.contains(id));
        let any = ids[self.rng.usize(..ids.len())];
        let next = match &mut self.strategy {
            Strategy::Even => any,
            Strategy::Sticky => current.filter(|_| self.rng.u8(..8) != 0).unwrap_or(any),
            Strategy::Ranked { ranks, last, change_in } => {
                for id in &ids {
                    ranks.entry(*id).or_insert_with(|| self.rng.u64(u64::MAX >> 1..));
                }
                *change_in -= 1;
                if *change_in == 0 {
                    *change_in = self.rng.u64(1..200);
                    *last -= 1;
                    ranks.insert(current.unwrap_or(any), *last);
                }
                ids.into_iter().max_by_key(|id| ranks.get(id)).unwrap_or(any)
            }
        };
        Some(TaskId::from(next))
    }

    fn next_u64(&mut self) -> u64 {
        self.rng.u64(..)
    }
}
