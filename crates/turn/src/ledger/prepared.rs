//! Two-phase commit records: changes prepared in a further document, and decisions about them.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

/// A change to come, if the write that decides about it happens.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// Names the write.
    pub id: String,
    /// The document that is written.
    pub by: String,
    /// The revision that the write replaces.
    pub rev: u64,
    /// What the properties become.
    pub bag: Raw,
}

/// A write that decided about other documents too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Names the write.
    pub id: String,
    /// The other documents, each with the revision under which the change was prepared.
    pub documents: Vec<(String, u64)>,
}
