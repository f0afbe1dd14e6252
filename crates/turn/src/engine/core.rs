//! Core of an instance: its seams, limits and shared state.

use std::{
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use sayso_activity::Activity;
use tokio::sync::Notify;

use super::{
    ack_queue::AckQueue,
    alarms::{RestAlarms, TimerAlarms},
    cache::Cache,
    deadline::Deadline,
    deferred::DeferredConversations,
    mailbox::{Mailbox, MailboxState, Moment},
    paused_channels::PausedChannels,
    receipts::ReceiptCache,
    refusals::Refusals,
    suspension::Suspension,
};
use crate::{
    Key, KeyScheme, Limits,
    by_key::ByKey,
    channel::Channel,
    clock::{Clock, Tasks, Timestamp},
    id::Ids,
    stats::Counters,
    store::Store,
    sync::{AtomicBool, AtomicU8, AtomicUsize, Mutex, MutexGuard, Ordering, lock},
    turn::Logic,
};

/// Time-out of an ephemeral event; a late one is worthless.
const SHOW_TIMEOUT: Duration = Duration::from_secs(3);

/// Background task.
pub(crate) type Task = BoxFuture<'static, ()>;

/// Constructor of a mailbox's courier. Injected by the delivery module, so that the engine does not
/// depend on it.
pub(crate) type MakeCourier = fn(Arc<Core>, Arc<Mailbox>) -> Task;

/// Shared parts of one instance.
pub(crate) struct Core {
    pub(crate) logic: Arc<dyn Logic>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) channel: Arc<dyn Channel>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: Arc<dyn Tasks>,
    pub(crate) ids: Ids,
    pub(crate) limits: Arc<Limits>,
    pub(crate) keys: KeyScheme,
    pub(crate) counters: Counters,
    pub(crate) timers: TimerAlarms,
    pub(crate) rests: RestAlarms,
    /// Notified when an alarm earlier than all others was added, or the instance closes.
    pub(crate) alarmed: Notify,
    pub(crate) acks: AckQueue,
    pub(crate) paused_channels: PausedChannels,
    pub(crate) deferred: DeferredConversations,
    pub(crate) refusals: Refusals,
    pub(crate) suspension: Suspension,
    pub(crate) receipts: ReceiptCache,
    /// True once this instance has met a document with a TTL of its own.
    pub(super) has_lifetimes: AtomicBool,
    cache: Mutex<Cache>,
    /// Mailboxes of busy conversations. Lock order: this map before the state of any mailbox.
    mailboxes: Mutex<ByKey<Arc<Mailbox>>>,
    /// Number of mailboxes that recovery created.
    recoveries: AtomicUsize,
    phase: AtomicU8,
    /// Notified when the last mailbox has become idle during a shutdown.
    drained: Notify,
    make_courier: MakeCourier,
}

/// Life-cycle phase of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Open = 0,
    /// New activities are refused.
    Closing = 1,
    /// Claims are released, and no commit makes a new one.
    Releasing = 2,
}

/// Constructor arguments of a core: the seams and limits.
pub(crate) struct Seams {
    pub(crate) logic: Arc<dyn Logic>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) channel: Arc<dyn Channel>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: Arc<dyn Tasks>,
    pub(crate) ids: Ids,
    pub(crate) limits: Limits,
    pub(crate) keys: KeyScheme,
    pub(crate) make_courier: MakeCourier,
}

impl Core {
    pub(crate) fn new(seams: Seams) -> Arc<Self> {
        let Seams { logic, store, channel, clock, tasks, ids, limits, keys, make_courier } = seams;
        Arc::new(Self {
            logic,
            store,
            channel,
            clock,
            tasks,
            ids,
            cache: Mutex::new(Cache::new(limits.cache_bytes_max)),
            receipts: ReceiptCache::new(limits.effects_max),
            limits: Arc::new(limits),
            keys,
            counters: Counters::default(),
            timers: TimerAlarms::default(),
            rests: RestAlarms::default(),
            alarmed: Notify::new(),
            acks: AckQueue::default(),
            paused_channels: PausedChannels::default(),
            deferred: DeferredConversations::default(),
            refusals: Refusals::default(),
            suspension: Suspension::default(),
            has_lifetimes: AtomicBool::new(false),
            mailboxes: Mutex::default(),
            recoveries: AtomicUsize::new(0),
            phase: AtomicU8::new(Phase::Open as u8),
            drained: Notify::new(),
            make_courier,
        })
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.phase.load(Ordering::SeqCst) >= Phase::Closing as u8
    }

    /// Reports whether this instance is releasing its claims: no commit makes a claim from then on.
    pub(crate) fn is_releasing(&self) -> bool {
        self.phase.load(Ordering::SeqCst) >= Phase::Releasing as u8
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::SeqCst);
    }

    pub(crate) fn uptime(&self) -> Duration {
        self.clock.uptime()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn moment(&self) -> Moment {
        Moment { uptime: self.uptime(), wall: self.now() }
    }

    pub(crate) fn me(&self) -> &str {
        self.ids.instance()
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, Cache> {
        lock(&self.cache)
    }

    pub(crate) fn mailboxes(&self) -> MutexGuard<'_, ByKey<Arc<Mailbox>>> {
        lock(&self.mailboxes)
    }

    /// Number of free recovery slots.
    pub(crate) fn free_recoveries(&self) -> usize {
        self.limits.recoveries_max.saturating_sub(self.recoveries.load(Ordering::Relaxed))
    }

    /// Counts a mailbox that recovery created, until it becomes idle.
    pub(crate) fn count_recovery(&self, mailbox: &Mailbox) {
        if !mailbox.is_recovery.swap(true, Ordering::Relaxed) {
            self.recoveries.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Acquires a recovery slot for a mailbox, unless it has one. Returns true if it has one now.
    pub(crate) fn acquire_recovery_slot(&self, mailbox: &Mailbox) -> bool {
        let has_place = mailbox.is_recovery.load(Ordering::Relaxed) || self.free_recoveries() > 0;
        if has_place {
            self.count_recovery(mailbox);
        }
        has_place
    }

    /// Returns the busy conversations, sorted by key.
    pub(crate) fn busy(&self) -> Vec<Arc<Mailbox>> {
        let mailboxes = self.mailboxes();
        mailboxes.sorted().into_iter().map(|(_, mailbox)| Arc::clone(mailbox)).collect()
    }

    /// Returns the courier to start, if there is work for one and none is running.
    pub(crate) fn courier(
        self: &Arc<Self>,
        mailbox: &Arc<Mailbox>,
        state: &mut MailboxState,
    ) -> Option<Task> {
        let delivery = &mut state.delivery;
        let is_wanted =
            delivery.has_errands() && !std::mem::replace(&mut delivery.is_courier_on, true);
        is_wanted.then(|| (self.make_courier)(Arc::clone(self), Arc::clone(mailbox)))
    }

    pub(crate) fn spawn(&self, task: Option<Task>) {
        if let Some(task) = task {
            self.tasks.spawn(task);
        }
    }

    /// Polls a task once in place, and spawns it if it is not done. A task that never waits so
    /// needs neither a spawn nor a wake-up. A panic ends the task and not its caller, as for a
    /// spawned one.
    pub(crate) async fn poll_or_spawn(&self, mut task: Task) {
        let is_done = |context: &mut Context<'_>| {
            let polled = catch_unwind(AssertUnwindSafe(|| task.poll_unpin(context).is_ready()));
            Poll::Ready(polled.unwrap_or(true))
        };
        if !std::future::poll_fn(is_done).await {
            self.tasks.spawn(task);
        }
    }

    /// Removes a mailbox that was seen idle, if it still is. One that becomes idle later is removed
    /// by whoever makes it idle.
    pub(crate) fn retire(&self, mailbox: &Arc<Mailbox>) {
        let mut mailboxes = self.mailboxes();
        // Runner and courier may both see it idle, and the conversation may have another mailbox by
        // now.
        let is_known = mailboxes.get(&mailbox.key).is_some_and(|known| Arc::ptr_eq(known, mailbox));
        if is_known && mailbox.state().is_idle() {
            drop(mailboxes.remove(&mailbox.key));
            if mailbox.ends_recovery() {
                self.recoveries.fetch_sub(1, Ordering::Relaxed);
            }
            // Only a shutdown waits for this, and it sets the phase before it looks at the
            // mailboxes.
            if mailboxes.len() == 0 && self.is_closing() {
                self.drained.notify_waiters();
            }
        }
    }

    /// Waits until no conversation is busy.
    pub(crate) async fn drained(&self) {
        loop {
            let drained = self.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            if self.mailboxes().len() == 0 {
                return;
            }
            drained.await;
        }
    }

    /// Shows an ephemeral event in the background, if the channel supports it.
    pub(super) fn show(self: &Arc<Self>, key: &Key, sign: Activity) {
        let (core, key) = (Arc::clone(self), key.clone());
        let show = async move { drop(core.shown(&key, &sign).await) };
        self.tasks.spawn(show.boxed());
    }

    /// Continues a run that was given up in the middle of a call of `once`, in the background, so
    /// that the next attempt of its turn gets the result.
    pub(super) fn leave(self: &Arc<Self>, run: BoxFuture<'static, ()>) {
        if !self.receipts.begin_left() {
            return;
        }
        let core = Arc::clone(self);
        let calling = async move {
            core.within(core.limits.long_deadline, run).await;
            core.receipts.end_left();
        };
        self.tasks.spawn(calling.boxed());
    }

    pub(super) async fn shown(&self, key: &Key, sign: &Activity) -> Option<String> {
        let shown = AssertUnwindSafe(self.channel.show(key, sign)).catch_unwind();
        self.within(SHOW_TIMEOUT, shown).await?.ok().flatten()
    }

    /// Awaits a future until a deadline.
    pub(super) async fn by<F: Future + Send>(
        &self,
        deadline: Deadline,
        future: F,
    ) -> Option<F::Output> {
        self.within(deadline.left(self.uptime()), future).await
    }

    /// Awaits a future with a time-out.
    pub(crate) async fn within<F: Future + Send>(
        &self,
        most: Duration,
        future: F,
    ) -> Option<F::Output> {
        let (mut future, mut sleep) = (std::pin::pin!(future), None);
        std::future::poll_fn(|context| {
            if let Poll::Ready(output) = future.as_mut().poll(context) {
                return Poll::Ready(Some(output));
            }
            // A future that is ready at once needs no timer.
            let sleep = sleep.get_or_insert_with(|| self.clock.sleep(most));
            sleep.poll_unpin(context).map(|()| None)
        })
        .await
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core")
            .field("instance", &self.me())
            .field("store", &self.store)
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}
