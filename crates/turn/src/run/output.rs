//! Output of one run of the logic, before the engine commits it.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    Key,
    ledger::{Bag, Response, Timer},
    turn::{Replies, Resets},
};

/// Documents, replies and timers of one run. The conversation's bag is the first document.
#[derive(Clone, Debug)]
pub(crate) struct RunOutput {
    pub(crate) documents: SmallVec<[(Key, Bag); 1]>,
    pub(crate) replies: Replies,
    pub(crate) timers: Vec<Arc<Timer>>,
    pub(crate) cancelled: Vec<String>,
    pub(crate) response: Option<Response>,
    /// Properties that the turn has reset: all that an error handler changes of the state.
    pub(crate) resets: Resets,
}
