//! The engine's limits in a configuration: the table `[limits]`, a setting for each of them.
//!
//! The rows and the function that applies them come from one list that names every member of
//! [`Limits`], so that a limit without a setting does not compile.

use std::time::Duration;

use sayso_turn::Limits;

/// Unit of a limit: what its text is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Time,
    Count,
    Bytes,
}

/// A limit as a setting: its key, its variable, its unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) key: &'static str,
    pub(super) variables: &'static [&'static str],
    pub(super) unit: Unit,
}

/// Largest number in a setting: what 32 bits hold on every machine.
const COUNT_MAX: u64 = u32::MAX as u64;

/// Longest time in a setting: a year.
const TIME_MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Units of times, the largest first.
const TIMES: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Units of sizes, the largest first; a number alone is of bytes.
const SIZES: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A member of the limits as a setting: read from its text, and written.
trait Member: Sized {
    fn read(text: &str, unit: Unit) -> Result<Self, String>;
    fn write(&self, unit: Unit) -> String;
}

impl Member for Duration {
    fn read(text: &str, _: Unit) -> Result<Self, String> {
        const FORM: &str = "it must be a whole number and a unit: ms, s, m or h, as in 12s";
        let millis = measure(text, &TIMES).ok_or(FORM)?;
        let time = Self::from_millis(millis);
        match millis > 0 && time <= TIME_MAX {
            true => Ok(time),
            false => Err("it must be between 1ms and 8760h".to_owned()),
        }
    }

    fn write(&self, _: Unit) -> String {
        let millis = u64::try_from(self.as_millis()).unwrap_or(u64::MAX);
        written(millis, &TIMES)
    }
}

macro_rules! counts {
    ($($number:ty)*) => {$(
        impl Member for $number {
            fn read(text: &str, unit: Unit) -> Result<Self, String> {
                let (units, form): (&[_], _) = match unit {
                    Unit::Bytes => (&SIZES, "a size such as 64MiB, or a number of bytes"),
                    _ => (&[], "a whole number"),
                };
                let plain = text.parse().ok();
                let count = plain.or_else(|| measure(text, units)).unwrap_or_default();
                match (1..=COUNT_MAX).contains(&count) {
                    true => Self::try_from(count).map_err(|error| error.to_string()),
                    false => Err(format!("it must be {form}, 1 to {COUNT_MAX}")),
                }
            }

            fn write(&self, unit: Unit) -> String {
                match unit {
                    Unit::Bytes => written(*self as u64, &SIZES),
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
    ($($member:ident $key:literal $variable:literal $unit:ident)*) => {
        /// The limits, in the order in which they are shown.
        pub(super) const ROWS: &[Row] = &[$(Row {
            key: concat!("limits.", $key),
            variables: &[concat!("SAYSO_LIMITS_", $variable)],
            unit: Unit::$unit,
        }),*];

        /// Checks the text of a limit, and returns its normal form.
        pub(super) fn check(key: &str, text: &str) -> Result<String, String> {
            // Only to know the types.
            let default = Limits::default();
            fn of<M: Member>(_: &M, text: &str, unit: Unit) -> Result<String, String> {
                M::read(text, unit).map(|value| value.write(unit))
            }
            match key.strip_prefix("limits.").unwrap_or(key) {
                $($key => of(&default.$member, text, Unit::$unit),)*
                _ => Err("there is no such limit".to_owned()),
            }
        }

        /// The default of a limit.
        pub(super) fn default_text(key: &str) -> Option<String> {
            let default = Limits::default();
            match key.strip_prefix("limits.")? {
                $($key => Some(default.$member.write(Unit::$unit)),)*
                _ => None,
            }
        }

        /// The limits with those that are set; the retention stays as it is.
        pub(super) fn apply<'t>(limits: Limits, set: impl Fn(&str) -> Option<&'t str>) -> Limits {
            // Every member is named, so that a new one needs a line in the list.
            Limits {
                $($member: set(concat!("limits.", $key))
                    // It was checked when it was set.
                    .and_then(|text| Member::read(text, Unit::$unit).ok())
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

/// A time as text.
pub(super) fn time(time: Duration) -> String {
    time.write(Unit::Time)
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
        for row in ROWS {
            let text = default_text(row.key).unwrap();
            assert_eq!(check(row.key, &text).as_ref(), Ok(&text), "{}", row.key);
        }
        assert_eq!(default_text("limits.deadline").as_deref(), Some("12s"));
        assert_eq!(default_text("limits.cache-bytes-max").as_deref(), Some("64MiB"));
        assert_eq!(apply(Limits::default(), |_| None), Limits::default());
    }
}
