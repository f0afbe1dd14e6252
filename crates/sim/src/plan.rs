//! What one run is made of, drawn from its seed.

use std::{collections::BTreeMap, time::Duration};

use sayso_turn::Ttl;

use crate::Fault;

/// The size of a run and the faults it has. Two runs of one plan are the same to the last poll.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where every chance of the run comes from.
    pub seed: u64,
    /// How many instances there are at a time.
    pub instances: usize,
    /// How many conversations there are.
    pub conversations: usize,
    /// How many activities the users send.
    pub activities: usize,
    /// The faults of this run and how likely each is when it could happen, 0 to 1.
    pub faults: BTreeMap<Fault, f64>,
    /// Whether the channel recognises a reply that it has had already.
    pub is_keyed: bool,
    /// Whether the store can write several documents at once.
    pub has_transactions: bool,
    /// Whether everything expires [`Plan::TTL`] after its last turn.
    pub expires: bool,
    /// Whether the users speak in bursts, the time of a claim apart, and hand-overs take long: what one
    /// instance has waited for since one burst then meets what the other does in the next.
    pub in_bursts: bool,
    /// Whether every wait that may happen does happen, always as long: for counting awaits.
    pub is_steady: bool,
    /// Whether the bot is the one whose history is exact; anybody else's says what it likes.
    pub is_exact: bool,
}

impl Plan {
    /// Draws a plan: 2-4 instances, 1-3 conversations, 5-20 activities, a random subset of the faults. One
    /// in eight is in bursts, with two instances and one conversation.
    #[must_use]
    pub fn draw(seed: u64) -> Self {
        let mut dice = fastrand::Rng::with_seed(seed ^ 0x5a50);
        let share = dice.f64();
        let mut faults = BTreeMap::new();
        for fault in Fault::ALL {
            if dice.f64() < share {
                faults.insert(*fault, 0.01 + 0.29 * dice.f64());
            }
        }
        let has_wrong_clock =
            [Fault::Skew, Fault::Jump].iter().any(|fault| faults.contains_key(fault));
        let mut plan = Self {
            seed,
            instances: dice.usize(2..=4),
            conversations: dice.usize(1..=3),
            activities: dice.usize(5..=20),
            faults,
            is_keyed: dice.bool(),
            has_transactions: dice.bool(),
            // A clock that is wrong by more than the time makes documents expire early, as it should.
            expires: dice.u8(..8) == 0 && !has_wrong_clock,
            in_bursts: dice.u8(..8) == 0,
            is_steady: false,
            is_exact: true,
        };
        if plan.in_bursts {
            // So that those who wait and those who act are the same ones, in the same conversation.
            plan.instances = 2;
            plan.conversations = 1;
        }
        plan
    }

    /// Draws a plan in which nearly every turn changes several documents, on a store that can only write
    /// one at a time, while instances die.
    #[must_use]
    pub fn draw_in_steps(seed: u64) -> Self {
        let mut plan = Self { has_transactions: false, ..Self::draw(seed) };
        plan.faults.insert(Fault::Documents, 0.9);
        plan.faults.entry(Fault::Crash).or_insert(0.1);
        plan
    }

    /// How long documents are kept where they expire: longer than any run takes.
    pub const TTL: Duration = Duration::from_secs(15 * 60);

    pub(crate) fn ttl(&self) -> Ttl {
        let ttl = self.expires.then_some(Self::TTL);
        Ttl { conversation: ttl, user: ttl, private: ttl, other: ttl }
    }

    /// The same with nothing going wrong.
    #[must_use]
    pub fn calm(seed: u64) -> Self {
        Self { faults: BTreeMap::new(), ..Self::draw(seed) }
    }

    /// The plans that are one step simpler than this one, the greatest simplification first.
    #[must_use]
    pub fn simpler(&self) -> Vec<Self> {
        let mut plans = Vec::new();
        if !self.faults.is_empty() {
            plans.push(Self { faults: BTreeMap::new(), ..self.clone() });
        }
        for fault in self.faults.keys() {
            let mut faults = self.faults.clone();
            faults.remove(fault);
            plans.push(Self { faults, ..self.clone() });
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
