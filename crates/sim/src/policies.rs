//! Delivery policies of the replies of a run.

use std::collections::BTreeMap;

use sayso_turn::DeliveryPolicy;

/// Policies of all replies whose policy is not the default, by their texts.
#[derive(Debug, Default)]
pub(crate) struct Policies(pub(crate) BTreeMap<String, DeliveryPolicy>);

impl Policies {
    /// Policy of a reply, by its text.
    pub(crate) fn of(&self, text: &str) -> DeliveryPolicy {
        self.0.get(text).copied().unwrap_or_default()
    }
}
