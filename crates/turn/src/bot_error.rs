//! The error type of a bot's own code, and its causes as the log shows them.

use std::error::Error;

/// Error of a bot's logic: any error type. It fails the turn and is passed to `on_error`.
pub type BotError = Box<dyn Error + Send + Sync>;

/// The most causes that are followed: a chain may be a circle.
const CAUSES_MAX: usize = 16;

/// An error and the causes beneath it, outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    let chain = std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    });
    chain.take(CAUSES_MAX)
}

/// Formats an error and its causes for the log. What a parser says about stored or received JSON
/// is shown without the value that it met: that may be a user's text.
pub(crate) fn loggable(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes(error) {
        let text = match cause.downcast_ref::<serde_json::Error>() {
            Some(json) => without_value(&json.to_string()),
            None => cause.to_string(),
        };
        // Some errors repeat their cause.
        if !parts.last().is_some_and(|before| before.ends_with(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// Drops the value from an error of the JSON parser; its kind, what was expected and the place
/// stay.
fn without_value(text: &str) -> String {
    const WITH_A_VALUE: [&str; 4] =
        ["invalid type: ", "invalid value: ", "unknown variant ", "unknown field "];
    let Some(head) = WITH_A_VALUE.into_iter().find(|head| text.starts_with(head)) else {
        return text.to_owned();
    };
    let rest = text.get(head.len()..).unwrap_or_default();
    // The value may have these words in it, so the last ones count.
    let expected = rest.rfind(", expected ").map(|at| &rest[at..]).unwrap_or_default();
    let kind = match head.ends_with(": ") {
        true => rest.split([' ', ',']).next().unwrap_or_default(),
        false => "",
    };
    format!("{head}{kind} ...{expected}").replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the menu cannot be read")]
    struct Menu(#[source] serde_json::Error);

    fn parse<T: serde::de::DeserializeOwned>(text: &str) -> serde_json::Error {
        serde_json::from_str::<T>(text).map(drop).unwrap_err()
    }

    #[test]
    fn the_log_has_every_cause_and_no_value_of_a_user() {
        let error = Menu(parse::<u32>("\"my phone, expected u8, is 555\""));
        assert_eq!(
            loggable(&error),
            "the menu cannot be read: invalid type: string ..., expected u32 at line 1 column 31"
        );
        let number = loggable(&parse::<String>("5551234"));
        assert_eq!(number, "invalid type: integer ..., expected a string at line 1 column 7");
        let plain = loggable(&parse::<u32>("x"));
        assert_eq!(plain, "expected value at line 1 column 1");
    }

    #[test]
    fn a_cause_that_its_error_repeats_is_shown_once() {
        let error = std::io::Error::other("the oven is cold");
        assert_eq!(loggable(&error), "the oven is cold");
    }
}
