//! The engine's limits in a configuration: the table `[limits]`, a setting for each of them.
//!
//! The rows and the function that applies them come from one list that names every member of
//! [`Limits`], so that a limit without a setting does not compile.

use std::time::Duration;

use sayso_turn::Limits;

use super::{
    Config, ConfigError,
    app::wrong,
    setting::{Kind, Spec, spec},
};

/// Largest number in a setting: what 32 bits hold on every machine.
const COUNT_MAX: u64 = u32::MAX as u64;

/// Longest time in a setting: a year.
const TIME_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Time after which channels give up on an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// Units of times, the largest first.
const TIMES: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Units of sizes, the largest first; a number alone is of bytes.
const SIZES: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A member of the limits as a setting: read from its text, and written.
trait Member: Sized {
    fn read(text: &str, kind: Kind) -> Result<Self, String>;
    fn write(&self, kind: Kind) -> String;
}

impl Member for Duration {
    fn read(text: &str, _: Kind) -> Result<Self, String> {
        const FORM: &str = "it must be a whole number and a unit: ms, s, m or h, as in 12s";
        let millis = measure(text, &TIMES).ok_or(FORM)?;
        let time = Self::from_millis(millis);
        match millis > 0 && time <= TIME_MAX {
            true => Ok(time),
            false => Err("it must be between 1ms and 8760h".to_owned()),
        }
    }

    fn write(&self, _: Kind) -> String {
        let millis = u64::try_from(self.as_millis()).unwrap_or(u64::MAX);
        written(millis, &TIMES)
    }
}

macro_rules! counts {
    ($($number:ty)*) => {$(
        impl Member for $number {
            fn read(text: &str, kind: Kind) -> Result<Self, String> {
                let (units, form): (&[_], _) = match kind {
                    Kind::Bytes => (&SIZES, "a size such as 64MiB, or a number of bytes"),
                    _ => (&[], "a whole number"),
                };
                let plain = text.parse().ok();
                let count = plain.or_else(|| measure(text, units)).unwrap_or_default();
                match (1..=COUNT_MAX).contains(&count) {
                    true => Self::try_from(count).map_err(|error| error.to_string()),
                    false => Err(format!("it must be {form}, 1 to {COUNT_MAX}")),
                }
            }

            fn write(&self, kind: Kind) -> String {
                match kind {
                    Kind::Bytes => written(*self as u64, &SIZES),
                    _ => self.to_string(),
                }
            }
        }
    )*};
}

counts!(u32 usize);

/// A whole number with a unit.
fn measure(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit())?;
    let (digits, unit) = text.split_at_checked(end)?;
    let (_, each) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim()))?;
    Some(digits.parse::<u64>().ok()?.saturating_mul(*each))
}

/// Formats a value with the largest unit that it is a whole number of.
fn written(value: u64, units: &[(&str, u64)]) -> String {
    let fits = units.iter().find(|(_, each)| value >= *each && value.is_multiple_of(*each));
    fits.map_or_else(|| value.to_string(), |(name, each)| format!("{}{name}", value / each))
}

macro_rules! limits {
    ($($member:ident $key:literal $variable:literal $kind:ident)*) => {
        /// The settings of the limits, in the order in which they are shown.
        pub(super) static SPECS: &[Spec] =
            &[$(spec(concat!("limits.", $key), &[concat!("SAYSO_LIMITS_", $variable)], Kind::$kind, "")),*];

        /// Checks the text of a limit, and returns its normal form.
        pub(super) fn check(key: &str, text: &str) -> Result<String, String> {
            // Only to know the types.
            let default = Limits::default();
            fn of<M: Member>(_: &M, text: &str, kind: Kind) -> Result<String, String> {
                M::read(text, kind).map(|value| value.write(kind))
            }
            match key.strip_prefix("limits.").unwrap_or(key) {
                $($key => of(&default.$member, text, Kind::$kind),)*
                _ => Err("there is no such limit".to_owned()),
            }
        }

        /// The default of a limit.
        pub(super) fn default_text(key: &str) -> Option<String> {
            let default = Limits::default();
            match key.strip_prefix("limits.")? {
                $($key => Some(default.$member.write(Kind::$kind)),)*
                _ => None,
            }
        }

        /// The limits with those of a configuration; the retention stays as it is.
        fn apply(config: &Config, limits: Limits) -> Limits {
            // Every member is named, so that a new one needs a line in the list.
            Limits {
                $($member: config
                    .text(concat!("limits.", $key))
                    // It was checked when it was set.
                    .and_then(|text| Member::read(text, Kind::$kind).ok())
                    .unwrap_or(limits.$member),)*
                ttl: limits.ttl,
            }
        }
    };
}

limits! {
    deadline "deadline" "DEADLINE" Time
    rounds_max "rounds-max" "ROUNDS_MAX" Count
    acknowledge_after "acknowledge-after" "ACKNOWLEDGE_AFTER" Time
    long_deadline "long-deadline" "LONG_DEADLINE" Time
    inbox_max "inbox-max" "INBOX_MAX" Count
    lost_max "lost-max" "LOST_MAX" Count
    typing_every "typing-every" "TYPING_EVERY" Time
    backoff_first "backoff-first" "BACKOFF_FIRST" Time
    backoff_max "backoff-max" "BACKOFF_MAX" Time
    batch_max "batch-max" "BATCH_MAX" Count
    queue_max "queue-max" "QUEUE_MAX" Count
    seen_max "seen-max" "SEEN_MAX" Count
    answers_max "answers-max" "ANSWERS_MAX" Count
    answers_bytes_max "answers-bytes-max" "ANSWERS_BYTES_MAX" Bytes
    replies_max "replies-max" "REPLIES_MAX" Count
    sent_max "sent-max" "SENT_MAX" Count
    outbox_max "outbox-max" "OUTBOX_MAX" Count
    timers_max "timers-max" "TIMERS_MAX" Count
    timer_attempts_max "timer-attempts-max" "TIMER_ATTEMPTS_MAX" Count
    timer_backoff_max "timer-backoff-max" "TIMER_BACKOFF_MAX" Time
    participants_max "participants-max" "PARTICIPANTS_MAX" Count
    parked_max "parked-max" "PARKED_MAX" Count
    parked_bytes_max "parked-bytes-max" "PARKED_BYTES_MAX" Bytes
    burst_max "burst-max" "BURST_MAX" Count
    recoveries_max "recoveries-max" "RECOVERIES_MAX" Count
    effects_max "effects-max" "EFFECTS_MAX" Count
    steps_max "steps-max" "STEPS_MAX" Count
    step_bytes_max "step-bytes-max" "STEP_BYTES_MAX" Bytes
    steps_bytes_max "steps-bytes-max" "STEPS_BYTES_MAX" Bytes
    document_bytes_max "document-bytes-max" "DOCUMENT_BYTES_MAX" Bytes
    cache_bytes_max "cache-bytes-max" "CACHE_BYTES_MAX" Bytes
    claim "claim" "CLAIM" Time
    send_timeout "send-timeout" "SEND_TIMEOUT" Time
    send_attempts_max "send-attempts-max" "SEND_ATTEMPTS_MAX" Count
    send_backoff_max "send-backoff-max" "SEND_BACKOFF_MAX" Time
    record_after "record-after" "RECORD_AFTER" Time
    sweep_every "sweep-every" "SWEEP_EVERY" Time
    sweep_max "sweep-max" "SWEEP_MAX" Count
}

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
        self.with_retention(apply(self, limits))
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
            limits.send_timeout.write(Kind::Time),
            limits.claim.write(Kind::Time)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_read_and_written_in_its_own_form() {
        for (key, text, shown) in [
            ("limits.deadline", "5000ms", "5s"),
            ("limits.deadline", "90 s", "90s"),
            ("limits.long-deadline", "60m", "1h"),
            ("limits.rounds-max", "12", "12"),
            ("limits.document-bytes-max", "2mib", "2MiB"),
            ("limits.cache-bytes-max", "1000", "1000"),
        ] {
            assert_eq!(check(key, text).as_deref(), Ok(shown), "{key} = {text}");
        }
        for (key, text, says) in [
            ("limits.deadline", "5", "a unit: ms, s, m or h"),
            ("limits.deadline", "0s", "between 1ms and 8760h"),
            ("limits.deadline", "9000h", "between 1ms and 8760h"),
            ("limits.rounds-max", "0", "a whole number, 1 to"),
            ("limits.rounds-max", "8MiB", "a whole number, 1 to"),
            ("limits.rounds-max", "99999999999", "a whole number, 1 to"),
            ("limits.cache-bytes-max", "64 potatoes", "a size such as 64MiB"),
        ] {
            let reason = check(key, text).unwrap_err();
            assert!(reason.contains(says), "{key} = {text}: {reason}");
        }
    }

    #[test]
    fn every_limit_has_a_default_that_reads_as_itself() {
        for spec in SPECS {
            let text = default_text(spec.key).unwrap();
            assert_eq!(check(spec.key, &text).as_ref(), Ok(&text), "{}", spec.key);
        }
        assert_eq!(default_text("limits.deadline").as_deref(), Some("12s"));
        assert_eq!(default_text("limits.cache-bytes-max").as_deref(), Some("64MiB"));
        assert_eq!(Config::default().limits(Limits::default()), Limits::default());
    }

    #[test]
    fn every_limit_can_stand_in_a_file_and_in_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        let value = |spec: &Spec| match spec.kind {
            Kind::Time => ("\"7s\"", "7s"),
            Kind::Bytes => ("\"7MiB\"", "7340032"),
            _ => ("7", "7"),
        };
        let row = |spec: &Spec| {
            let key = spec.key.strip_prefix("limits.").unwrap_or_default();
            format!("{key} = {}\n", value(spec).0)
        };
        let text: String = SPECS.iter().map(row).collect();
        std::fs::write(&path, format!("[limits]\n{text}")).unwrap();
        let file = Config::default().file(&path).unwrap().limits(Limits::default());
        let variables = SPECS.iter().map(|spec| (spec.variables[0], value(spec).1));
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
