//! Record of a fake service: what it has done, and how often it was asked.

use std::collections::BTreeMap;

/// Record of one service: effects by idempotency key, and calls.
#[derive(Debug, Default)]
pub(crate) struct Service {
    pub(crate) effects: BTreeMap<String, u64>,
    pub(crate) calls: usize,
}
