//! Deterministic single-threaded scheduler on simulated time: the seed decides which task runs
//! next.
//!
//! Tasks belong to an owner, an instance or the world around it. All tasks of an owner can be
//! dropped at the await where each of them is (a crash), or left unpolled for a while (a freeze).
//! When nothing is ready time jumps to the next timer, so a minute of waiting costs nothing.

mod tokio_time;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use futures_util::future::BoxFuture;

pub(crate) use self::tokio_time::TokioTime;

/// Owner of a task. Lives of instances count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// Clients, stores, channels, faults: what never dies.
    World,
    /// One life of one instance.
    Instance(usize),
}

/// Maximum number of polls: a run that takes more is going round in circles.
const STEPS_MAX: usize = 2_000_000;

/// The scheduler. Cloning it gives another handle.
#[derive(Clone)]
pub(crate) struct Executor(Arc<Mutex<Core>>);

struct Core {
    now: Duration,
    dice: fastrand::Rng,
    next_id: u64,
    tasks: BTreeMap<u64, Task>,
    ready: Vec<u64>,
    is_ready: BTreeSet<u64>,
    timers: BTreeMap<(Duration, u64), Waker>,
    frozen: BTreeSet<Owner>,
    /// Number of polls left to an owner before it crashes.
    doomed: BTreeMap<Owner, u64>,
    polls: BTreeMap<Owner, u64>,
    dead: BTreeSet<Owner>,
    /// Number of tasks that ended with a panic.
    panicked: usize,
    /// Timers of tokio's, where tasks may use them.
    tokio: Option<Arc<TokioTime>>,
}

struct Task {
    owner: Owner,
    /// `None` while it is being polled.
    future: Option<BoxFuture<'static, ()>>,
    waker: Waker,
}

struct TaskWaker {
    id: u64,
    core: Weak<Mutex<Core>>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if let Some(core) = self.core.upgrade() {
            lock(&core).make_ready(self.id);
        }
    }
}

fn lock(core: &Mutex<Core>) -> MutexGuard<'_, Core> {
    core.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Core {
    fn make_ready(&mut self, id: u64) {
        if self.tasks.contains_key(&id) && self.is_ready.insert(id) {
            self.ready.push(id);
            if let Some(tokio) = &self.tokio {
                tokio.woken();
            }
        }
    }

    /// A ready task of an owner that is not frozen, by chance.
    fn pick(&mut self) -> Option<u64> {
        for _ in 0..self.ready.len() {
            let at = self.dice.usize(..self.ready.len());
            let id = *self.ready.get(at)?;
            let owner = self.tasks.get(&id).map(|task| task.owner);
            match owner {
                Some(owner) if self.frozen.contains(&owner) => {}
                _ => {
                    self.ready.swap_remove(at);
                    self.is_ready.remove(&id);
                    return Some(id);
                }
            }
        }
        // Chance may have missed the few that are not frozen.
        let is_frozen =
            |id: &u64| self.tasks.get(id).is_some_and(|t| self.frozen.contains(&t.owner));
        let at = self.ready.iter().position(|id| !is_frozen(id))?;
        let id = self.ready.swap_remove(at);
        self.is_ready.remove(&id);
        Some(id)
    }

    /// Takes the tasks of an owner out. They are dropped by the caller, outside the lock.
    fn kill(&mut self, owner: Owner) -> Vec<Task> {
        self.doomed.remove(&owner);
        self.frozen.remove(&owner);
        self.dead.insert(owner);
        let ids: Vec<u64> =
            self.tasks.iter().filter(|(_, task)| task.owner == owner).map(|(id, _)| *id).collect();
        self.ready.retain(|id| !ids.contains(id));
        for id in &ids {
            self.is_ready.remove(id);
        }
        ids.iter().filter_map(|id| self.tasks.remove(id)).collect()
    }
}

impl Executor {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(Core {
            now: Duration::ZERO,
            dice: fastrand::Rng::with_seed(seed),
            next_id: 0,
            tasks: BTreeMap::new(),
            ready: Vec::new(),
            is_ready: BTreeSet::new(),
            timers: BTreeMap::new(),
            frozen: BTreeSet::new(),
            doomed: BTreeMap::new(),
            polls: BTreeMap::new(),
            dead: BTreeSet::new(),
            panicked: 0,
            tokio: None,
        })))
    }

    /// Lets tasks use `tokio::time`, or ends that.
    pub(crate) fn use_tokio(&self, tokio: Option<Arc<TokioTime>>) {
        let before = std::mem::replace(&mut self.core().tokio, tokio);
        drop(before);
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        lock(&self.0)
    }

    pub(crate) fn now(&self) -> Duration {
        self.core().now
    }

    /// Number of polls of an owner's tasks so far.
    pub(crate) fn polls(&self, owner: Owner) -> u64 {
        self.core().polls.get(&owner).copied().unwrap_or_default()
    }

    /// Number of tasks that ended with a panic.
    pub(crate) fn panicked(&self) -> usize {
        self.core().panicked
    }

    pub(crate) fn is_dead(&self, owner: Owner) -> bool {
        self.core().dead.contains(&owner)
    }

    /// Starts a task. A dead owner starts none.
    pub(crate) fn spawn(&self, owner: Owner, future: BoxFuture<'static, ()>) {
        let mut core = self.core();
        if core.dead.contains(&owner) {
            return;
        }
        let id = core.next_id;
        core.next_id += 1;
        let waker = Waker::from(Arc::new(TaskWaker { id, core: Arc::downgrade(&self.0) }));
        drop(core.tasks.insert(id, Task { owner, future: Some(future), waker }));
        core.make_ready(id);
    }

    /// Drops every task of an owner where it is.
    pub(crate) fn kill(&self, owner: Owner) {
        let killed = self.core().kill(owner);
        drop(killed);
    }

    /// Lets an owner be polled so many more times and then kills it.
    pub(crate) fn doom(&self, owner: Owner, polls: u64) {
        self.core().doomed.insert(owner, polls);
    }

    /// Takes a sentence of death back.
    pub(crate) fn pardon(&self, owner: Owner) {
        self.core().doomed.remove(&owner);
    }

    pub(crate) fn freeze(&self, owner: Owner) {
        self.core().frozen.insert(owner);
    }

    pub(crate) fn is_frozen(&self, owner: Owner) -> bool {
        self.core().frozen.contains(&owner)
    }

    pub(crate) fn thaw(&self, owner: Owner) {
        self.core().frozen.remove(&owner);
    }

    pub(crate) fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        let at = self.now() + wait;
        Box::pin(Sleep { executor: self.clone(), at, id: None })
    }

    /// Polls one task, or lets time pass. False when there is nothing left to happen.
    fn step(&self) -> bool {
        let mut core = self.core();
        let Some(id) = core.pick() else {
            if let Some(tokio) = core.tokio.clone() {
                drop(core);
                return self.pass(&tokio);
            }
            let Some(((at, _), waker)) = core.timers.pop_first() else { return false };
            core.now = core.now.max(at);
            drop(core);
            waker.wake();
            return true;
        };
        let Some(task) = core.tasks.get_mut(&id) else { return true };
        let owner = task.owner;
        let (future, waker) = (task.future.take(), task.waker.clone());
        *core.polls.entry(owner).or_default() += 1;
        if let Some(left) = core.doomed.get_mut(&owner) {
            if *left == 0 {
                let killed = core.kill(owner);
                drop(core);
                drop((killed, future));
                return true;
            }
            *left -= 1;
        }
        let tokio = core.tokio.clone();
        drop(core);
        let Some(mut future) = future else { return true };
        let entered = tokio.as_ref().map(|tokio| tokio.enter());
        let poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
        let polled = catch_unwind(AssertUnwindSafe(poll));
        drop(entered);
        let mut core = self.core();
        core.panicked += usize::from(polled.is_err());
        match core.tasks.get_mut(&id) {
            Some(task) if polled.is_ok_and(|polled| polled.is_pending()) => {
                task.future = Some(future);
            }
            _ => {
                let done = core.tasks.remove(&id);
                drop(core);
                drop((done, future));
            }
        }
        true
    }

    /// Lets time pass until the next timer, of ours or of tokio's. False when there is none.
    fn pass(&self, tokio: &TokioTime) -> bool {
        let next = self.core().timers.first_key_value().map(|((at, _), _)| *at);
        let Some(next) = next else { return false };
        let passed = tokio.pass(next.max(self.now()));
        let mut core = self.core();
        core.now = core.now.max(passed);
        let is_due = core.timers.first_key_value().is_some_and(|((at, _), _)| *at <= core.now);
        let due = if is_due { core.timers.pop_first() } else { None };
        drop(core);
        if let Some((_, waker)) = due {
            waker.wake();
        }
        true
    }

    /// Runs until a condition holds. False when time, events or patience run out first.
    pub(crate) fn run_until(&self, most: Duration, is_done: impl Fn() -> bool) -> bool {
        for _ in 0..STEPS_MAX {
            if is_done() {
                return true;
            }
            if self.now() > most || !self.step() {
                return is_done();
            }
        }
        false
    }

    /// Drops everything, so that nothing keeps anything else alive.
    pub(crate) fn end(&self) {
        let mut core = self.core();
        let tasks = std::mem::take(&mut core.tasks);
        let timers = std::mem::take(&mut core.timers);
        core.ready.clear();
        drop(core);
        drop(tasks);
        drop(timers);
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("now", &self.now()).finish_non_exhaustive()
    }
}

struct Sleep {
    executor: Executor,
    at: Duration,
    id: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let executor = self.executor.clone();
        let mut core = executor.core();
        if core.now >= self.at {
            return Poll::Ready(());
        }
        let id = self.id.unwrap_or(core.next_id);
        if self.id.replace(id).is_none() {
            core.next_id += 1;
        }
        drop(core.timers.insert((self.at, id), cx.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let waker = self.executor.core().timers.remove(&(self.at, id));
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests;
