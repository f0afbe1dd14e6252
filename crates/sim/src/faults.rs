//! What can go wrong, by name, and how often it did.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident => $text:literal,)*) => {
        /// A way for the world to be unkind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Fault { $($(#[$doc])* $name,)* }

        impl Fault {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// In words.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

faults! {
    /// The store says *conflict* although nobody else wrote.
    Conflict => "conflict that is none",
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
