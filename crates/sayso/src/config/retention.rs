//! Limits of a configuration: the table `[limits]`, and how long documents of each kind are kept.

use std::time::Duration;

use sayso_turn::Limits;

use super::{Config, ConfigError, app::wrong, limits, ttl};

/// Time after which channels give up on an answer.
const PATIENCE: Duration = Duration::from_secs(15);

impl Config {
    /// The limits with those that this configuration sets (`[limits]` and `[ttl]` in a file). All
    /// others stay as they are.
    ///
    /// # Example
    /// ```
    /// use std::time::Duration;
    /// use sayso::{Config, Limits};
    ///
    /// let config = Config::default().flag("ttl.conversation", "30d")?.flag("limits.deadline", "5s")?;
    /// let limits = config.limits(Limits::default());
    /// assert_eq!(limits.ttl.conversation, Some(Duration::from_secs(30 * 24 * 60 * 60)));
    /// assert_eq!(limits.deadline, Duration::from_secs(5));
    /// assert_eq!((limits.ttl.user, limits.rounds_max), (None, 8));
    /// # Ok::<(), sayso::ConfigError>(())
    /// ```
    #[must_use]
    pub fn limits(&self, limits: Limits) -> Limits {
        self.with_retention(limits::apply(limits, |key| self.text(key)))
    }

    /// Checks that the limits fit together. Of a pair that does not, the one that was set is named.
    ///
    /// # Errors
    /// When a hand-over may take as long as its claim lives.
    ///
    /// # Example
    /// ```
    /// use sayso::Config;
    ///
    /// let config = Config::default().flag("limits.claim", "5s")?;
    /// let error = config.check_limits().unwrap_err().to_string();
    /// assert!(error.starts_with("limits.claim (SAYSO_LIMITS_CLAIM): it must be longer than "));
    /// # Ok::<(), sayso::ConfigError>(())
    /// ```
    pub fn check_limits(&self) -> Result<(), ConfigError> {
        let limits = self.limits(Limits::default());
        let is_set = |key| self.value(key).is_some();
        if limits.send_timeout < limits.claim {
            return Ok(());
        }
        let (key, reason) = match is_set("limits.send-timeout") {
            true => ("limits.send-timeout", "it must be shorter than limits.claim"),
            false => ("limits.claim", "it must be longer than limits.send-timeout"),
        };
        let both = format!(
            "{reason}, or another instance takes over in the middle of a hand-over; they are {} \
             and {}",
            limits::time(limits.send_timeout),
            limits::time(limits.claim)
        );
        Err(wrong(key, &both))
    }

    /// Warning about a deadline that channels do not wait for.
    pub(super) fn deadline_warning(&self) -> Option<String> {
        let limits = self.limits(Limits::default());
        let is_late = limits.deadline >= PATIENCE && limits.acknowledge_after >= PATIENCE;
        is_late.then(|| {
            "limits.deadline and limits.acknowledge-after are 15s or more, and channels give up \
             after 15s"
                .to_owned()
        })
    }

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

#[cfg(test)]
mod tests {
    use super::{
        super::limits::{ROWS, Row, Unit},
        *,
    };

    #[test]
    fn every_limit_can_stand_in_a_file_and_in_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        let value = |row: &Row| match row.unit {
            Unit::Time => ("\"7s\"", "7s"),
            Unit::Bytes => ("\"7MiB\"", "7340032"),
            Unit::Count => ("7", "7"),
        };
        let line = |row: &Row| {
            let key = row.key.strip_prefix("limits.").unwrap_or_default();
            format!("{key} = {}\n", value(row).0)
        };
        let text: String = ROWS.iter().map(line).collect();
        std::fs::write(&path, format!("[limits]\n{text}")).unwrap();
        let file = Config::default().file(&path).unwrap().limits(Limits::default());
        let variables = ROWS.iter().map(|row| (row.variables[0], value(row).1));
        let environment = Config::default().environment(variables).unwrap();
        assert_eq!(file, environment.limits(Limits::default()));
        let (default, shown) = (format!("{:?}", Limits::default()), format!("{file:?}"));
        let members = |text: &str| text.split(", ").map(str::to_owned).collect::<Vec<_>>();
        let same = members(&default).into_iter().zip(members(&shown)).filter(|(a, b)| a == b);
        let ttl = |(name, _): &(String, String)| !name.contains("None");
        assert_eq!(same.filter(ttl).count(), 0, "{shown}");
    }

    #[test]
    fn a_hand_over_that_outlives_its_claim_is_refused_under_the_name_that_was_set() {
        for (key, value) in [("limits.send-timeout", "20s"), ("limits.claim", "5s")] {
            let config = Config::default().flag(key, value).unwrap();
            let error = config.check_limits().unwrap_err().to_string();
            assert!(error.starts_with(key), "{error}");
        }
        assert!(Config::default().check_limits().is_ok());
        let late = Config::default().flag("limits.deadline", "1m").unwrap();
        assert_eq!(late.deadline_warning(), None, "turns are acknowledged in time");
        let late = late.flag("limits.acknowledge-after", "1m").unwrap();
        assert!(late.warnings().iter().any(|warning| warning.contains("give up after 15s")));
    }
}
