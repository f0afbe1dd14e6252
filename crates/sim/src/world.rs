//! The world of one run: what all instances share, and what is seen of it from outside.

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
use sayso_turn::{Key, channel::Parcel, document::Document, store::Store};

use crate::{Fault, Plan, executor::Executor, faults::Tally};

/// What a deletion is called among the replies.
pub(crate) const DELETION: &str = "deletion of ";

/// What is shared by everything in a run.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) executor: Executor,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) chance: Arc<Chance>,
    seen: Mutex<Seen>,
}

/// What an observer outside has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Replies in the order of their arrival, per conversation: id and text.
    pub(crate) visible: BTreeMap<Key, Vec<(String, String)>>,
    /// What the channel calls messages, per conversation.
    names: BTreeMap<Key, BTreeSet<String>>,
    /// Replies that the channel refused for good.
    pub(crate) refused: BTreeSet<String>,
    /// Hand-overs after which the sender could not know.
    pub(crate) ambiguous: BTreeMap<String, u64>,
    /// When each instance last renewed its claim on each conversation.
    wrote: BTreeMap<(Key, String), Duration>,
    /// Activities that were answered well, with the answer.
    pub(crate) acked: BTreeMap<String, String>,
    /// What broke, in words.
    pub(crate) violations: Vec<String>,
    /// Who did what, when; only when somebody wants to read it.
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
            seen: Mutex::new(seen),
        })
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

    /// A document was replaced. A claim may pass to another instance only when its holder has not
    /// written for the time of a claim, or has given it up (I5).
    pub(crate) fn replaced(&self, key: &Key, before: &str, after: &str) {
        let now = self.executor.now();
        let holder = between(before, "\"claim\":{\"by\":\"", '"');
        let heir = between(after, "\"claim\":{\"by\":\"", '"');
        if let (Some(holder), Some(heir)) = (holder, heir)
            && holder != heir
        {
            let wrote = self.seen().wrote.get(&(key.clone(), holder.to_owned())).copied();
            let silent = now.saturating_sub(wrote.unwrap_or_default());
            if silent < sayso_turn::Limits::default().claim {
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

    /// A reply arrives. What it says must be so already (I4).
    pub(crate) fn arrived(&self, instance: usize, parcel: &Parcel) {
        let text = match parcel.activity.kind {
            Kind::MessageDelete => format!("{DELETION}{}", parcel.id),
            _ => parcel.activity.text().to_owned(),
        };
        self.tell(|| format!("instance {instance}: reply {text} arrives"));
        if let (Kind::MessageUpdate | Kind::MessageDelete, Some(name)) =
            (&parcel.activity.kind, &parcel.activity.id)
            && !self.seen().names.get(&parcel.key).is_some_and(|names| names.contains(name))
        {
            self.violation(format!("{text} changes {name}, which the channel has not named"));
        }
        let mut parts = text.split('/');
        let (id, place) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if self.plan.is_exact
            && let Ok(place) = place.parse::<usize>()
            && self.log(&parcel.key).get(place).map(String::as_str) != Some(id)
        {
            self.violation(format!("I4: {text} is visible and not so"));
        }
        let mut seen = self.seen();
        let visible = seen.visible.entry(parcel.key.clone()).or_default();
        let is_known = visible.iter().any(|(id, _)| id == parcel.id.as_str());
        // Who sends a reply again must know that it may be a repeat. Only a sender that was overtaken in
        // the middle of a hand-over, frozen or shutting down, cannot.
        let fired = self.chance.tally.counts();
        let is_excused = fired.contains_key(&Fault::Freeze) || fired.contains_key(&Fault::Shutdown);
        if is_known && !parcel.is_repeat && !is_excused {
            drop(seen);
            self.violation(format!("I5: {text} came again and its sender did not know"));
            seen = self.seen();
        }
        let visible = seen.visible.entry(parcel.key.clone()).or_default();
        if !(self.plan.is_keyed && is_known) {
            visible.push((parcel.id.to_string(), text));
        }
    }

    /// What the channel calls a reply, if it says so. One that knows ids says the same each time.
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

    /// Whether the channel refuses a reply for good: it does not change its mind about one.
    pub(crate) fn is_refused(&self, parcel: &Parcel) -> bool {
        let seen = self.seen();
        let id = parcel.id.as_str();
        let was_taken = seen.visible.values().flatten().any(|(known, _)| known == id);
        let was_refused = seen.refused.contains(id);
        drop(seen);
        was_refused || (!was_taken && self.chance.fires(Fault::Refused))
    }

    pub(crate) fn refused(&self, instance: usize, parcel: &Parcel) {
        self.tell(|| format!("instance {instance}: reply {} is refused", parcel.activity.text()));
        self.seen().refused.insert(parcel.id.to_string());
    }

    pub(crate) fn ambiguous(&self, parcel: &Parcel) {
        self.tell(|| format!("the answer for reply {} is lost", parcel.activity.text()));
        *self.seen().ambiguous.entry(parcel.id.to_string()).or_default() += 1;
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("plan", &self.plan).finish_non_exhaustive()
    }
}

/// The text between a beginning and the next end.
fn between<'a>(text: &'a str, begin: &str, end: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end)?.0)
}

/// Every chance of a run, and the switch that ends all faults.
#[derive(Debug)]
pub(crate) struct Chance {
    rates: BTreeMap<Fault, f64>,
    dice: Mutex<fastrand::Rng>,
    is_calm: AtomicBool,
    is_steady: bool,
    pub(crate) tally: Tally,
}

impl Chance {
    fn new(plan: &Plan) -> Self {
        Self {
            rates: plan.faults.clone(),
            dice: Mutex::new(fastrand::Rng::with_seed(plan.seed)),
            is_calm: AtomicBool::new(false),
            is_steady: plan.is_steady,
            tally: Tally::default(),
        }
    }

    fn dice(&self) -> MutexGuard<'_, fastrand::Rng> {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on nothing goes wrong any more.
    pub(crate) fn calm_down(&self) {
        self.is_calm.store(true, Ordering::SeqCst);
    }

    /// Whether the run has this fault at all.
    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.rates.contains_key(&fault)
    }

    /// Whether the fault happens here and now; counted if it does.
    pub(crate) fn fires(&self, fault: Fault) -> bool {
        let Some(rate) = self.rates.get(&fault) else { return false };
        let fires = !self.is_calm.load(Ordering::SeqCst) && self.dice().f64() < *rate;
        if fires {
            self.tally.add(fault);
        }
        fires
    }

    pub(crate) fn one_in(&self, count: usize) -> bool {
        self.is_steady || self.below(count) == 0
    }

    /// Any number below this one.
    pub(crate) fn below(&self, count: usize) -> usize {
        self.dice().usize(..count)
    }

    /// Any number from minus this to this.
    pub(crate) fn around(&self, most: i64) -> i64 {
        self.dice().i64(-most..=most)
    }

    pub(crate) fn up_to(&self, most: Duration) -> Duration {
        if self.is_steady {
            return most / 2;
        }
        most.mul_f64(self.dice().f64())
    }
}
