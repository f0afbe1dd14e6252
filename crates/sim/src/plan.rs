//! Plan of a run, drawn from its seed: its size, its faults and its settings.

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::{DeliveryPolicy, Limits, Overlap, Ttl};

use crate::Fault;

/// The size of a run and the faults it has. Two runs of one plan are the same to the last poll.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Seed of every random choice of the run.
    pub seed: u64,
    /// Number of instances at a time.
    pub instances: usize,
    /// Number of conversations.
    pub conversations: usize,
    /// Number of activities the users send.
    pub activities: usize,
    /// The faults of this run and how likely each is when it could happen, 0 to 1.
    pub faults: BTreeMap<Fault, f64>,
    /// True if the channel recognises a reply that it has had already.
    pub is_keyed: bool,
    /// True if the store can write several documents at once.
    pub has_transactions: bool,
    /// Time to live of documents after their last turn.
    pub ttl: Option<Duration>,
    /// Handling of messages that arrive while a turn runs.
    pub overlap: Overlap,
    /// True if the users speak in bursts, the time of a claim apart, and hand-overs take long: what
    /// one instance has waited for since one burst then meets what the other does in the next.
    pub in_bursts: bool,
    /// True if every wait that may happen does happen, always as long: for counting awaits.
    pub is_steady: bool,
    /// True if the bot is the one whose history is exact; anybody else's says what it likes.
    pub is_exact: bool,
}

impl Plan {
    /// Time to live where documents expire after the run.
    pub const TTL: Duration = Duration::from_secs(40 * 60);
    /// Time to live where documents expire in the run: longer than anybody is frozen.
    pub const TTL_SHORT: Duration = Duration::from_secs(45);
    /// TTL that a turn sets for a document: longer than that of documents that expire after the
    /// run, and where they expire in the run.
    pub(crate) const OWN_TTL: Duration = Duration::from_secs(55 * 60);
    pub(crate) const OWN_TTL_SHORT: Duration = Duration::from_secs(90);
    /// Number of conversations of a crowd: more than `sweep_max`.
    const CROWD: usize = 600;
    /// Number of instances where two bots share the store: two of each.
    const TENANT_INSTANCES: usize = 4;
    /// Number of conversations there: one of each of two tenants with each bot.
    const TENANT_CONVERSATIONS: usize = 4;
    /// Number of turns of a hot conversation.
    const HOT: usize = 150;
    /// Maximum number of conversations of a crowd that are recovered at once.
    const RECOVERIES_MAX: usize = 64;
    /// Maximum number of timers of a conversation where they are few: as many as one turn sets.
    const TIMERS_MAX: usize = 3;
    /// Maximum size of a document where turns are bulky: what waits in it fits, what is kept beside
    /// it does not.
    const BULKY_BYTES_MAX: usize = 320 * 1024;
    /// Cache size of instances that can keep next to nothing in memory.
    const CACHE_BYTES_MAX: usize = 600;

    /// Draws a plan: 2-4 instances, 1-3 conversations, 5-20 activities, a random subset of the
    /// faults. One in eight is in bursts, with two instances and one conversation.
    #[must_use]
    pub fn draw(seed: u64) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed ^ 0x5a50);
        let mut late = fastrand::Rng::with_seed(seed ^ 0x5a51);
        let share = dice.f64();
        let is_gentle = dice.u8(..16) == 0;
        let mut faults = BTreeMap::new();
        for fault in Fault::ALL {
            let dice = if fault.is_late() { &mut late } else { &mut dice };
            let is_there = match fault.rarity() {
                Some(rarity) => dice.u32(..rarity) == 0,
                None => dice.f64() < share,
            };
            let rate = 0.01 + 0.29 * dice.f64();
            // In a gentle world instances come and go, in good order.
            if is_there && (fault.is_wish() || *fault == Fault::Shutdown || !is_gentle) {
                faults.insert(*fault, rate);
            }
        }
        let mut plan = Self {
            seed,
            instances: dice.usize(2..=4),
            conversations: dice.usize(1..=3),
            activities: dice.usize(5..=20),
            faults,
            is_keyed: dice.bool(),
            has_transactions: dice.bool(),
            ttl: (dice.u8(..16) == 0).then_some(Self::TTL),
            overlap: Overlap::Queue,
            in_bursts: dice.u8(..8) == 0,
            is_steady: false,
            is_exact: true,
        };
        if plan.in_bursts {
            // So that those who wait and those who act are the same ones, in the same conversation.
            plan.instances = 2;
            plan.conversations = 1;
        }
        plan.make_whole();
        plan
    }

    /// Makes the parts of a plan fit each other.
    fn make_whole(&mut self) {
        if self.has(Fault::Crowd) {
            // Costly, so nothing else is in it.
            self.faults.retain(|fault, _| matches!(fault, Fault::Crowd | Fault::DueCut));
            (self.conversations, self.activities) = (Self::CROWD, Self::CROWD);
            (self.instances, self.in_bursts, self.ttl) = (2, false, None);
            return;
        }
        if self.has(Fault::Hot) {
            self.faults.retain(|fault, _| *fault == Fault::Hot);
            (self.conversations, self.activities) = (1, Self::HOT);
            (self.in_bursts, self.ttl) = (false, None);
            return;
        }
        if self.has(Fault::Burst) {
            (self.conversations, self.activities, self.in_bursts) = (1, 100, false);
            // So many long turns, one after the other, would take all day.
            self.faults.remove(&Fault::Long);
            self.faults.remove(&Fault::SlowTimer);
            self.faults.remove(&Fault::Steps);
            self.faults.remove(&Fault::Tenants);
        }
        if self.has(Fault::Tenants) {
            (self.instances, self.in_bursts) = (Self::TENANT_INSTANCES, false);
            self.conversations = Self::TENANT_CONVERSATIONS;
        }
        if self.has(Fault::Coalesce) {
            self.overlap = Overlap::Coalesce;
            self.faults.remove(&Fault::Reject);
        } else if self.has(Fault::Reject) {
            self.overlap = Overlap::Reject;
        }
        if self.has(Fault::ShortLived) {
            self.ttl = Some(Self::TTL_SHORT);
            // Two documents that belong together do not expire at the same instant.
            self.faults.remove(&Fault::Reads);
        }
        self.make_few_timers_whole();
        if self.has(Fault::YearAhead) {
            // What such a clock sets a timer to takes a year for everybody else.
            for fault in [Fault::Timer, Fault::Jump, Fault::Skew] {
                self.faults.remove(&fault);
            }
        }
        if self.has(Fault::Skew) || self.has(Fault::Jump) {
            // A clock that is wrong by more than the time makes documents expire early, as it
            // should.
            self.ttl = None;
            self.faults.remove(&Fault::ShortLived);
            self.faults.remove(&Fault::OwnTtl);
        }
        if self.has(Fault::OwnTtl) && self.ttl.is_none() && self.seed.is_multiple_of(2) {
            self.ttl = Some(Self::TTL);
        }
        if self.forgets() && !self.is_gentle() {
            // Only here is anything deleted.
            for fault in [Fault::DeleteLost, Fault::DeleteLate] {
                self.faults.entry(fault).or_insert(0.2);
            }
        }
    }

    /// Reports whether the run has a fault.
    #[must_use]
    pub fn has(&self, fault: Fault) -> bool {
        self.faults.contains_key(&fault)
    }

    /// Reports whether documents may expire.
    pub(crate) fn forgets(&self) -> bool {
        self.ttl.is_some() || self.has(Fault::OwnTtl)
    }

    /// The TTL that turns set for documents.
    pub(crate) fn own_ttl(&self) -> Duration {
        if self.has(Fault::ShortLived) { Self::OWN_TTL_SHORT } else { Self::OWN_TTL }
    }

    /// Reports whether nothing goes wrong by itself.
    #[must_use]
    pub fn is_gentle(&self) -> bool {
        self.faults.keys().all(|fault| fault.is_wish())
    }

    /// A conversation with as many timers as it may have soon has fewer, and a turn that is refused
    /// because of them was asked for by one.
    fn make_few_timers_whole(&mut self) {
        let others = [Fault::Coalesce, Fault::Skew, Fault::Jump, Fault::YearAhead];
        if others.iter().any(|fault| self.has(*fault)) {
            self.faults.remove(&Fault::FewTimers);
        }
        if self.has(Fault::FewTimers) {
            self.faults.insert(Fault::Timer, 0.6);
            self.faults.insert(Fault::Cancel, 0.4);
        }
    }

    /// The bot's own delivery policy, for replies without one.
    pub(crate) fn delivery(&self) -> DeliveryPolicy {
        match self.has(Fault::Policy) && self.seed.is_multiple_of(2) {
            true => DeliveryPolicy::once(),
            false => DeliveryPolicy::repeat(),
        }
    }

    /// The limits of the instances.
    pub(crate) fn limits(&self) -> Limits {
        let ttl = self.ttl;
        let usual = Limits::default();
        Limits {
            ttl: Ttl { conversation: ttl, user: ttl, private: ttl, other: ttl },
            // Instances die often here: that says nothing about the turns they die in.
            lost_max: 1000,
            cache_bytes_max: match self.has(Fault::Eviction) {
                true => Self::CACHE_BYTES_MAX,
                false => usual.cache_bytes_max,
            },
            document_bytes_max: match self.has(Fault::Bulk) {
                true => Self::BULKY_BYTES_MAX,
                false => usual.document_bytes_max,
            },
            timers_max: match self.has(Fault::FewTimers) {
                true => Self::TIMERS_MAX,
                false => usual.timers_max,
            },
            batch_max: if self.has(Fault::Hot) { 1 } else { usual.batch_max },
            recoveries_max: match self.has(Fault::Crowd) {
                true => Self::RECOVERIES_MAX,
                false => usual.recoveries_max,
            },
            ..usual
        }
    }

    /// Draws a plan in which nearly every turn changes several documents, on a store that can only
    /// write one at a time, while instances die.
    #[must_use]
    pub fn draw_in_steps(seed: u64) -> Self {
        let mut plan = Self { has_transactions: false, ..Self::draw(seed) };
        plan.faults.insert(Fault::Documents, 0.9);
        plan.faults.entry(Fault::Crash).or_insert(0.1);
        plan.make_whole();
        plan
    }

    /// Draws a plan in which nearly every turn takes durable steps, while instances die and freeze.
    #[must_use]
    pub fn draw_durable(seed: u64) -> Self {
        let mut plan = Self::draw(seed);
        plan.faults.insert(Fault::Steps, 0.9);
        for fault in [Fault::Crash, Fault::Freeze, Fault::StepFails, Fault::StepHangs] {
            plan.faults.entry(fault).or_insert(0.1);
        }
        plan.make_whole();
        plan
    }

    /// The same with nothing going wrong.
    #[must_use]
    pub fn calm(seed: u64) -> Self {
        Self::draw(seed).without_faults()
    }

    fn without_faults(self) -> Self {
        let is_small = self.activities <= 20;
        Self {
            faults: BTreeMap::new(),
            overlap: Overlap::Queue,
            ttl: self.ttl.map(|_| Self::TTL),
            conversations: if is_small { self.conversations } else { 1 },
            activities: if is_small { self.activities } else { 20 },
            ..self
        }
    }

    /// The plans that are one step simpler than this one, the greatest simplification first.
    #[must_use]
    pub fn simpler(&self) -> Vec<Self> {
        let mut plans = Vec::new();
        if !self.faults.is_empty() {
            plans.push(self.clone().without_faults());
        }
        for fault in self.faults.keys() {
            let mut plan = self.clone();
            plan.faults.remove(fault);
            match fault {
                Fault::Coalesce | Fault::Reject => plan.overlap = Overlap::Queue,
                Fault::ShortLived => plan.ttl = Some(Self::TTL),
                _ => {}
            }
            plans.push(plan);
        }
        if self.in_bursts {
            plans.push(Self { in_bursts: false, ..self.clone() });
        }
        if self.conversations > 1 {
            plans.push(Self { conversations: self.conversations - 1, ..self.clone() });
        }
        if self.instances > 1 {
            plans.push(Self { instances: self.instances - 1, ..self.clone() });
        }
        for fewer in [self.activities / 2, self.activities.saturating_sub(1)] {
            if fewer > 0 && fewer < self.activities {
                plans.push(Self { activities: fewer, ..self.clone() });
            }
        }
        plans
    }
}
