//! Retention of a configuration: how long documents of each kind are kept.

use sayso_turn::Limits;

use super::{Config, ttl};

impl Config {
    /// The limits with the retention of documents ([`Limits::ttl`]) that this configuration sets.
    /// Of other kinds of document, and in all else, they stay as they are.
    ///
    /// # Example
    /// ```
    /// use std::time::Duration;
    /// use sayso::{Config, Limits};
    ///
    /// let config = Config::default().flag("ttl.conversation", "30d")?;
    /// let limits = config.limits(Limits::default());
    /// assert_eq!(limits.ttl.conversation, Some(Duration::from_secs(30 * 24 * 60 * 60)));
    /// assert_eq!(limits.ttl.user, None);
    /// # Ok::<(), sayso::ConfigError>(())
    /// ```
    #[must_use]
    pub fn limits(&self, mut limits: Limits) -> Limits {
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
