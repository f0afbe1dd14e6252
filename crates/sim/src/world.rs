//! The world of one run: everything that its instances share, and the view of an observer outside.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use sayso_activity::Kind;
use sayso_turn::{
    DeliveryPolicy, Engine, Key, OnDoubt, channel::Parcel, clock::Timestamp, document::Document,
    store::Store,
};

use crate::{
    Fault, Plan,
    chance::Chance,
    costs::Costs,
    executor::Executor,
    history::History,
    outbound::Outbound,
    policies::Policies,
    service::Service,
    text::{between, plain},
    weather::Weather,
};

/// Prefix of the text that stands for a deletion among the replies.
pub(crate) const DELETION: &str = "deletion of ";

/// Shared state of a run.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) executor: Executor,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) chance: Arc<Chance>,
    pub(crate) outbound: Outbound,
    seen: Mutex<Seen>,
    costs: Mutex<Costs>,
    weather: Mutex<Weather>,
    history: Mutex<History>,
    /// Fake services that an author's bot calls.
    services: Mutex<BTreeMap<String, Service>>,
    /// True if their calls may fail.
    services_fail: AtomicBool,
    /// Every engine that ever lived, by the number of its life.
    engines: Mutex<Vec<Engine>>,
}

/// Record of an observer outside.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Replies in the order of their arrival, per conversation: id and text.
    pub(crate) visible: BTreeMap<Key, Vec<(String, String)>>,
    /// Message ids that the channel gave out, per conversation.
    names: BTreeMap<Key, BTreeSet<String>>,
    /// Replies that the channel refused for good.
    pub(crate) refused: BTreeSet<String>,
    /// Texts of those replies.
    pub(crate) refused_texts: BTreeSet<String>,
    /// Replies that somebody has begun to hand over.
    pub(crate) tried: BTreeSet<String>,
    /// Replies that arrived when others may have given them up, in the hands of one that was
    /// interrupted.
    pub(crate) late: BTreeSet<String>,
    /// Delivery policies that turns chose for their replies.
    pub(crate) policies: Policies,
    /// Number of inbox entries that cannot be read, per conversation.
    pub(crate) unreadable: BTreeMap<Key, usize>,
    /// When each instance was last frozen, suspended or told to close.
    pub(crate) interrupted: BTreeMap<usize, Duration>,
    /// The same, and when it went on.
    pub(crate) disturbed: BTreeMap<usize, Duration>,
    /// Number of hand-overs with an unknown outcome, per reply.
    pub(crate) ambiguous: BTreeMap<String, u64>,
    /// When each instance last renewed its claim on each conversation.
    wrote: BTreeMap<(Key, String), Duration>,
    /// Activities that were answered well, with the answer.
    pub(crate) acked: BTreeMap<String, String>,
    /// Violated invariants, in words.
    pub(crate) violations: Vec<String>,
    /// Time line of events; `None` when nobody wants to read it.
    pub(crate) timeline: Option<Vec<String>>,
}

impl World {
    pub(crate) fn new(
        plan: &Plan,
        executor: &Executor,
        store: Arc<dyn Store>,
        is_told: bool,
    ) -> Arc<Self> {
        let seen = Seen { timeline: is_told.then(Vec::new), ..Seen::default() };
        Arc::new(Self {
            plan: plan.clone(),
            executor: executor.clone(),
            store,
            chance: Arc::new(Chance::new(plan)),
            outbound: Outbound::default(),
            seen: Mutex::new(seen),
            costs: Mutex::default(),
            weather: Mutex::default(),
            history: Mutex::default(),
            services: Mutex::default(),
            services_fail: AtomicBool::new(false),
            engines: Mutex::default(),
        })
    }

    pub(crate) fn costs(&self) -> MutexGuard<'_, Costs> {
        self.costs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn weather(&self) -> MutexGuard<'_, Weather> {
        self.weather.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn services(&self) -> MutexGuard<'_, BTreeMap<String, Service>> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn services_fail(&self) -> bool {
        self.services_fail.load(Ordering::Relaxed)
    }

    pub(crate) fn let_services_fail(&self, fail: bool) {
        self.services_fail.store(fail, Ordering::Relaxed);
    }

    pub(crate) fn engines(&self) -> MutexGuard<'_, Vec<Engine>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The engine of one life of an instance.
    pub(crate) fn engine(&self, life: usize) -> Option<Engine> {
        self.engines().get(life).cloned()
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a line of the time line.
    pub(crate) fn tell(&self, what: impl FnOnce() -> String) {
        let mut seen = self.seen();
        if let Some(timeline) = &mut seen.timeline {
            timeline.push(format!("{:>9.3} s  {}", self.executor.now().as_secs_f64(), what()));
        }
    }

    pub(crate) fn violation(&self, what: String) {
        self.tell(|| format!("VIOLATION {what}"));
        self.seen().violations.push(what);
    }

    /// A document as it is stored at this moment.
    pub(crate) fn document(&self, key: &Key) -> Document {
        let stored = self.store.load(key).now_or_never();
        let stored = stored.and_then(Result::ok).flatten();
        stored.and_then(|stored| Document::parse(key, &stored.body).ok()).unwrap_or_default()
    }

    pub(crate) fn log(&self, key: &Key) -> Vec<String> {
        self.document(key).bag.get("log").ok().flatten().unwrap_or_default()
    }

    /// Checks the claim when a document is replaced. It may pass to another instance only when its
    /// holder has not written for the time of a claim, or has given it up (I5).
    pub(crate) fn replaced(&self, key: &Key, before: &str, after: &str) {
        let now = self.executor.now();
        let holder = between(before, "\"claim\":{\"by\":\"", '"');
        let heir = between(after, "\"claim\":{\"by\":\"", '"');
        if let (Some(holder), Some(heir)) = (holder, heir)
            && holder != heir
        {
            let wrote = self.seen().wrote.get(&(key.clone(), holder.to_owned())).copied();
            let silent = now.saturating_sub(wrote.unwrap_or_default());
            if silent < self.plan.limits().claim {
                self.violation(format!(
                    "I5: {heir} took {key} from {holder}, silent for {silent:?}"
                ));
            }
        }
        // A fence is a write too, and says nothing about the claim.
        let renewed = between(after, "\"beat\":", '}');
        if let Some(writer) = between(after, "\"write\":\"", '.')
            && renewed.is_some_and(|beat| Some(beat) == between(after, "\"rev\":", ','))
        {
            self.seen().wrote.insert((key.clone(), writer.to_owned()), now);
        }
    }

    /// Records that an instance is interrupted, or goes on.
    pub(crate) fn disturbed(&self, life: usize, is_interrupted: bool) {
        let now = self.executor.now();
        let mut seen = self.seen();
        seen.disturbed.insert(life, now);
        if is_interrupted {
            seen.interrupted.insert(life, now);
        }
    }

    /// Records that an instance begins to hand a reply over. One that nobody has tried before is no
    /// repeat, where every instance could say what it has tried (I5).
    pub(crate) fn tries(&self, instance: usize, parcel: &Parcel, clock: Timestamp) {
        if self.plan.has(Fault::Policy) {
            self.is_allowed(parcel, &text_of(parcel), clock);
        }
        let is_first = self.seen().tried.insert(parcel.id.to_string());
        if is_first && parcel.is_repeat {
            let fired = self.chance.tally.counts();
            if fired.keys().all(|fault| fault.is_harmless()) {
                let text = text_of(parcel);
                self.violation(format!("I5: {text} is new, and instance {instance} is in doubt"));
            }
        }
    }

    /// Records a reply that arrives. What it says must be stored already (I4), and a repeat must be
    /// marked as one (I5).
    pub(crate) fn arrived(&self, instance: usize, parcel: &Parcel, began: Duration) {
        let text = text_of(parcel);
        self.tell(|| {
            let again = if parcel.is_repeat { " again, perhaps" } else { "" };
            format!("instance {instance}: reply {text} arrives{again}")
        });
        if let (Kind::MessageUpdate | Kind::MessageDelete, Some(name)) =
            (&parcel.activity.kind, &parcel.activity.id)
            && !self.seen().names.get(&parcel.key).is_some_and(|names| names.contains(name))
        {
            self.violation(format!("{text} changes {name}, which the channel has not named"));
        }
        self.is_so(&parcel.key, &text);
        let mut seen = self.seen();
        let visible = seen.visible.entry(parcel.key.clone()).or_default();
        let is_known = visible.iter().any(|(id, _)| id == parcel.id.as_str());
        let may_have_come = is_known || self.may_have_come(&seen, parcel, &text);
        // Who sends a reply again must know that it may be a repeat. Only a sender that was
        // interrupted in the middle of this very hand-over, and overtaken meanwhile, cannot.
        let is_excused = seen.interrupted.get(&instance).is_some_and(|at| *at >= began);
        // A wall clock that is set back, or set right, hides that the machine slept: nothing else
        // tells.
        let is_set = self.plan.has(Fault::Jump) || self.plan.has(Fault::Skew);
        let is_hidden = self.plan.has(Fault::Suspend) && is_set;
        if (is_excused || is_hidden) && seen.policies.of(&text) != DeliveryPolicy::default() {
            seen.late.insert(text.clone());
        }
        // A turn that runs again because its document has expired speaks again.
        let is_forgotten = self.plan.has(Fault::ShortLived);
        if may_have_come && !parcel.is_repeat && !(is_excused || is_forgotten || is_hidden) {
            drop(seen);
            self.violation(format!("I5: {text} came again and its sender did not know"));
            seen = self.seen();
        }
        let visible = seen.visible.entry(parcel.key.clone()).or_default();
        if !(self.plan.is_keyed && is_known) {
            visible.push((parcel.id.to_string(), text));
        }
    }

    /// Reports whether a reply that may not come twice was handed over before with an unknown
    /// outcome.
    fn may_have_come(&self, seen: &Seen, parcel: &Parcel, text: &str) -> bool {
        let is_once = || seen.policies.of(text).on_doubt == OnDoubt::Once;
        self.plan.has(Fault::Policy) && seen.ambiguous.contains_key(parcel.id.as_str()) && is_once()
    }

    /// Checks that a reply says what is stored (I4): it names the place of its turn in the log,
    /// which must be there.
    fn is_so(&self, key: &Key, text: &str) {
        let mut parts = text.split('/');
        let (id, place) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let (true, Ok(place)) = (self.plan.is_exact, place.parse::<usize>()) else { return };
        let is_so = match self.plan.has(Fault::ShortLived) {
            true => self.history().has(key, place, id),
            false => self.log(key).get(place).is_some_and(|known| known == id),
        };
        if !is_so {
            self.violation(format!("I4: {text} is visible and not so"));
        }
    }

    /// The channel's id of a reply, if it gives one. A channel that knows ids gives the same each
    /// time.
    pub(crate) fn name(&self, parcel: &Parcel) -> Option<String> {
        // One in eight never gets a name: the channel does not change its mind about one.
        let sum: u32 = parcel.id.as_str().bytes().map(u32::from).sum();
        if sum.is_multiple_of(8) {
            return None;
        }
        let mut seen = self.seen();
        let names = seen.names.entry(parcel.key.clone()).or_default();
        let count = if self.plan.is_keyed { 0 } else { names.len() };
        let name = format!("{}-{count}", parcel.id);
        names.insert(name.clone());
        Some(name)
    }

    /// Reports whether the channel refuses a reply for good: it does not change its mind about one.
    pub(crate) fn is_refused(&self, parcel: &Parcel) -> bool {
        let seen = self.seen();
        let id = parcel.id.as_str();
        let was_taken = seen.visible.values().flatten().any(|(known, _)| known == id);
        let was_refused = seen.refused.contains(id);
        drop(seen);
        was_refused || (!was_taken && self.chance.fires(Fault::Refused))
    }

    pub(crate) fn refused(&self, instance: usize, parcel: &Parcel) {
        let text = text_of(parcel);
        self.tell(|| format!("instance {instance}: reply {text} is refused"));
        let mut seen = self.seen();
        seen.refused.insert(parcel.id.to_string());
        seen.refused_texts.insert(text);
    }

    pub(crate) fn ambiguous(&self, parcel: &Parcel) {
        self.tell(|| format!("the answer for reply {} is lost", text_of(parcel)));
        *self.seen().ambiguous.entry(parcel.id.to_string()).or_default() += 1;
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// Text of a reply, without its padding.
fn text_of(parcel: &Parcel) -> String {
    match parcel.activity.kind {
        Kind::MessageDelete => format!("{DELETION}{}", parcel.id),
        _ => plain(parcel.activity.text()),
    }
}
