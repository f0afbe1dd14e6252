//! TTLs as text: read and written.

use std::time::Duration;

use sayso_turn::DocumentTtl;

/// The text for documents that are kept for ever.
pub(super) const NEVER: &str = "never";

const UNITS: [(char, u64); 5] =
    [('w', 7 * 24 * 60 * 60), ('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// Reads a TTL, or says what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Option<Duration>, String> {
    const FORM: &str = "it must be never, or a whole number and a unit: s, m, h, d or w, as in 30d";
    if text.eq_ignore_ascii_case(NEVER) {
        return Ok(None);
    }
    let unit = UNITS.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, seconds)));
    let (digits, seconds) = unit.ok_or(FORM)?;
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(FORM.to_owned());
    }
    let count: u64 = digits.parse().unwrap_or(u64::MAX);
    let ttl = Duration::from_secs(count.saturating_mul(*seconds));
    if ttl < DocumentTtl::MIN {
        return Err("it must be at least a minute: 1m".to_owned());
    }
    if ttl > DocumentTtl::MAX {
        return Err("it must be at most 36500d, which is a hundred years".to_owned());
    }
    Ok(Some(ttl))
}

/// Formats a TTL with the largest unit that it is a whole number of.
pub(super) fn format(ttl: Option<Duration>) -> String {
    let Some(ttl) = ttl else { return NEVER.to_owned() };
    let seconds = ttl.as_secs();
    let fits = UNITS.iter().find(|(_, unit)| seconds.is_multiple_of(*unit));
    fits.map_or_else(String::new, |(name, unit)| format!("{}{name}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ttl_is_never_or_a_whole_number_and_a_unit() {
        for (text, shown) in
            [("30d", "30d"), ("60s", "1m"), ("90m", "90m"), ("36h", "36h"), ("14d", "2w")]
        {
            assert_eq!(format(parse(text).unwrap()), shown, "{text}");
        }
        assert_eq!(format(parse("Never").unwrap()), "never");
        for (text, says) in [
            ("30", "a unit: s, m, h, d or w"),
            ("d", "a whole number"),
            ("1.5d", "a whole number"),
            ("-1d", "a whole number"),
            ("30 days", "a whole number"),
            ("0s", "at least a minute"),
            ("59s", "at least a minute"),
            ("99999999999999999999d", "at most 36500d"),
        ] {
            let reason = parse(text).unwrap_err();
            assert!(reason.contains(says), "{text}: {reason}");
        }
    }
}
