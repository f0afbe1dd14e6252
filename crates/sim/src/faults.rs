//! Fault injection: the faults by name, and a tally of those that fired.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)*) => {
        /// A fault to inject, or a feature to exercise under faults.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Fault { $($(#[$doc])* $name,)* }

        impl Fault {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name in words.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

faults! {
    /// The store says *conflict* although nobody else wrote.
    Conflict => "spurious conflict",
    /// A save happens and its answer is lost.
    SaveAnswerLost => "save committed, answer lost",
    /// A save does not happen and its answer is lost.
    SaveLost => "save lost",
    /// A save happens a while after its answer was lost.
    SaveLate => "save lands late",
    /// The store asks for patience.
    Throttled => "store throttles",
    /// The store asks for patience and says how much.
    ThrottledFor => "store throttles, Retry-After",
    /// A store call takes seconds.
    Slow => "slow store",
    /// A store call never answers.
    Stalled => "stalled store",
    /// A load fails.
    LoadError => "load error",
    /// A load shows an older version.
    StaleRead => "stale read",
    /// The store refuses a document for good: too large, say.
    Oversized => "document refused for good",
    /// An instance dies at an await.
    Crash => "crash at an await",
    /// An instance is frozen and resumed.
    Freeze => "instance frozen",
    /// An instance is shut down in good order, under load.
    Shutdown => "shut-down under load",
    /// An activity is delivered to two instances at once.
    Duplicate => "delivered twice at once",
    /// An activity that was answered is delivered again later.
    Redelivery => "redelivered after the answer",
    /// A client hangs up before the answer.
    HangUp => "client hangs up",
    /// The channel refuses a reply for good.
    Refused => "connector 4xx",
    /// The channel asks for patience.
    Later => "connector 429",
    /// The channel fails, and had taken the reply.
    FailedTaken => "connector 5xx, arrived",
    /// The channel fails, and had not taken the reply.
    FailedLost => "connector 5xx, lost",
    /// The channel never answers, and had taken the reply.
    SilentTaken => "connector time-out, arrived",
    /// The channel never answers, and had not taken the reply.
    SilentLost => "connector time-out, lost",
    /// An instance's wall clock is wrong.
    Skew => "clock skew",
    /// An instance's wall clock jumps.
    Jump => "clock jumps",
    /// An instance of a newer minor version writes members that others do not know.
    Versions => "two versions at once",
    /// The bot's logic panics.
    Panic => "panicking logic",
    /// A turn asks for a timer.
    Timer => "timer",
    /// A turn takes longer than a channel waits.
    Long => "long turn",
    /// A turn changes a message that an earlier one sent.
    Change => "message changed later",
    /// A turn changes several documents.
    Documents => "several documents",
    /// A turn calls a service outside, once.
    Once => "call made once",
    /// A turn cancels a timer: its own or an earlier one's.
    Cancel => "timer cancelled",
    /// A timer's handler fails a few times.
    FailingTimer => "failing timer",
    /// A timer's handler takes seconds.
    SlowTimer => "slow timer",
    /// Turns read two documents that others write together.
    Reads => "several documents read",
    /// A turn that nobody's activity causes.
    Resume => "conversation resumed",
    /// One of those in every conversation.
    Broadcast => "broadcast",
    /// A reply is shown while it is being made.
    Stream => "streamed reply",
    /// An instance runs a newer build of the bot.
    Builds => "two builds at once",
    /// Messages that wait together become one turn.
    Coalesce => "messages coalesced",
    /// A conversation that is busy refuses messages.
    Reject => "messages rejected when busy",
    /// Instances can keep next to nothing in memory.
    Eviction => "cache evicted",
    /// A hundred activities come to one conversation at once.
    Burst => "burst of a hundred",
    /// An instance dies and leaves more conversations behind than one look sees.
    Crowd => "more due than one look sees",
    /// Replies and answers are so large that they fill the documents.
    Bulk => "bulky replies and answers",
    /// Documents expire while the users still talk.
    ShortLived => "documents expire in the run",
    /// The store refuses for a while what it accepted before: permission, validity or quota.
    StoreRefuses => "store refuses for a while",
    /// A delete does not happen and its answer is lost.
    DeleteLost => "delete lost",
    /// A delete happens a while after its answer was lost.
    DeleteLate => "delete lands late",
    /// The index of what waits names only some of it.
    DueCut => "due incomplete",
    /// The index of what waits takes seconds.
    DueSlow => "due slow",
    /// A machine is suspended: its monotonic clock stops, its wall clock does not.
    Suspend => "machine suspended",
    /// An instance's wall clock is too fast or too slow.
    Drift => "clock drifts",
    /// An instance's wall clock is a year ahead.
    YearAhead => "clock a year ahead",
    /// The channel is down and asks for minutes of patience.
    Outage => "connector down for minutes",
    /// A turn chooses what its replies may cost: sent once at most, or only while they are worth
    /// sending.
    Policy => "delivery policy",
    /// A turn asks for a document and stops waiting for it.
    GivenUp => "read given up",
    /// A handler waits for a turn of its own conversation.
    Inward => "own conversation resumed",
    /// A conversation may have few timers only.
    FewTimers => "few timers allowed",
    /// An entry of an inbox cannot be read.
    Unreadable => "line that cannot be read",
    /// One instance has much to do in one conversation, turn after turn.
    Hot => "hot conversation",
    /// The index of what waits answers in pages of one to three, the first and the last one empty.
    DuePages => "due in small pages",
    /// A turn sets the TTL of its documents, and some have only types with a TTL in them.
    OwnTtl => "TTL of a document",
    /// Two bots and two tenants share the store, with the same ids.
    Tenants => "bots and tenants in one store",
    /// A turn takes durable steps.
    Steps => "durable steps",
    /// A call of a step fails.
    StepFails => "step fails",
    /// A call of a step never answers.
    StepHangs => "step times out",
}

impl Fault {
    /// Reports whether it is a feature that the bot is asked to use, or a world made for one:
    /// nothing that goes wrong by itself.
    pub(crate) fn is_wish(self) -> bool {
        matches!(
            self,
            Self::Timer
                | Self::Long
                | Self::Change
                | Self::Documents
                | Self::Once
                | Self::Cancel
                | Self::FailingTimer
                | Self::SlowTimer
                | Self::Reads
                | Self::Resume
                | Self::Broadcast
                | Self::Stream
                | Self::Builds
                | Self::Coalesce
                | Self::Reject
                | Self::Bulk
                | Self::Panic
                | Self::Oversized
                | Self::Policy
                | Self::GivenUp
                | Self::Inward
                | Self::FewTimers
                | Self::Hot
                | Self::OwnTtl
                | Self::Tenants
                | Self::Steps
                | Self::StepFails
                | Self::StepHangs
        )
    }

    /// Reports whether it leaves the store and the instances as they are: what users and channels
    /// do, and instances that shut down in good order.
    pub(crate) fn is_harmless(self) -> bool {
        let is_outside = matches!(
            self,
            Self::Shutdown
                | Self::Duplicate
                | Self::Redelivery
                | Self::HangUp
                | Self::Refused
                | Self::Later
                | Self::Outage
                | Self::Burst
        );
        // An old build that is replaced by a new one dies.
        is_outside || (self.is_wish() && self != Self::Builds)
    }

    /// Reports whether it makes the whole world what it is: it is counted once in each.
    pub(crate) fn is_of_the_world(self) -> bool {
        matches!(
            self,
            Self::Crowd
                | Self::Hot
                | Self::Burst
                | Self::Bulk
                | Self::Coalesce
                | Self::Reject
                | Self::FewTimers
                | Self::Eviction
                | Self::DuePages
                | Self::Tenants
        )
    }

    /// Reports whether it is drawn from a random generator of its own, so that the worlds without
    /// it stay as they were before it was added.
    pub(crate) fn is_late(self) -> bool {
        self >= Self::Policy
    }

    /// Rarity: one in so many worlds has it; `None` for what every world may have. What costs much,
    /// or hides other things, is rare.
    pub(crate) fn rarity(self) -> Option<u32> {
        match self {
            Self::Crowd | Self::Hot => Some(256),
            Self::Burst | Self::Bulk => Some(160),
            Self::ShortLived | Self::Outage | Self::YearAhead | Self::Unreadable => Some(24),
            Self::FewTimers | Self::OwnTtl => Some(16),
            Self::Coalesce | Self::Reject | Self::Eviction | Self::StoreRefuses | Self::Inward => {
                Some(12)
            }
            Self::Drift | Self::DueCut | Self::DueSlow | Self::DuePages | Self::Tenants => Some(8),
            Self::Policy | Self::GivenUp => Some(6),
            _ => None,
        }
    }
}

/// Counts faults that fired, and other things that must have happened for a run to mean anything.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<Fault, u64>>);

impl Tally {
    pub(crate) fn add(&self, fault: Fault) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(fault).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<Fault, u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
