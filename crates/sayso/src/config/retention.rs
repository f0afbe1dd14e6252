//! Retention of a configuration: how long documents of each kind are kept.

use sayso_turn::Limits;

use super::{Config, ttl};

impl Config {
    /// The limits with the retention of documents ([`Limits::ttl`]) that this configuration sets.
    pub(super) fn with_retention(&self, mut limits: Limits) -> Limits {
        let all = &mut limits.ttl;
        for (key, limit) in [
            ("ttl.conversation", &mut all.conversation),
            ("ttl.user", &mut all.user),
            ("ttl.private", &mut all.private),
            ("ttl.other", &mut all.other),
        ] {
            // It was checked when it was set.
            if let Some(Ok(set)) = self.text(key).map(ttl::parse) {
                *limit = set;
            }
        }
        limits
    }
}
