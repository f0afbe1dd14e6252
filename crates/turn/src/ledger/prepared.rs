//! Records of two-phase commit: prepare records in further documents, commit records in
//! conversations.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};

/// Prepare record: a change that applies if the deciding write commits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Prepared {
    /// Id of the deciding write.
    pub id: String,
    /// Key of the document that decides.
    pub by: String,
    /// Revision that the deciding write replaces.
    pub rev: u64,
    /// The new properties.
    pub bag: Raw,
}

/// Commit record: a write that decided about other documents.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// Id of the deciding write.
    pub id: String,
    /// The other documents, each with the revision under which its change was prepared.
    pub documents: Vec<(String, u64)>,
}
