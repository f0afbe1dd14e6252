//! Redaction: removes secrets from URLs that are shown.

/// Placeholder for text that may be secret.
const HIDDEN: &str = "...";

/// Query parameters that are never secret.
const PLAIN: [&str; 9] = [
    "connections",
    "containers",
    "create",
    "layout",
    "prefix",
    "region",
    "schema",
    "sslmode",
    "table",
];

/// Redacts a text that may be a URL: its password, and all parameters but those known to be
/// harmless.
///
/// A password may hold any character, so everything before the last `@` counts as user and
/// password.
pub(super) fn url(text: &str) -> String {
    if text.starts_with("sqlite:") {
        return text.to_owned();
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        // A connection string where a URL should be.
        return match text.split_once(':') {
            Some((scheme, rest))
                if rest.contains([';', '=', '@']) && !rest.contains("?layout=") =>
            {
                format!("{scheme}:{HIDDEN}")
            }
            None if text.contains(';') => HIDDEN.to_owned(),
            _ => text.to_owned(),
        };
    };
    let (user, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) => match user.split_once(':') {
            Some((name, _)) => (format!("{name}:{HIDDEN}@"), rest),
            None => (format!("{user}@"), rest),
        },
        None => (String::new(), rest),
    };
    let (path, query) = rest.split_once(['?', '#']).unwrap_or((rest, ""));
    let query = match query {
        "" => String::new(),
        query => format!("?{}", query.split('&').map(parameter).collect::<Vec<_>>().join("&")),
    };
    format!("{scheme}://{user}{path}{query}")
}

fn parameter(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if PLAIN.contains(&name) => pair.to_owned(),
        Some((name, _)) => format!("{name}={HIDDEN}"),
        None => HIDDEN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        for (text, shown) in [
            ("memory://", "memory://"),
            ("sqlite:data/a@b?c.sqlite", "sqlite:data/a@b?c.sqlite"),
            ("postgres://bot@db/bot?schema=a", "postgres://bot@db/bot?schema=a"),
            ("postgres://bot:hunter2@db/bot", "postgres://bot:...@db/bot"),
            ("postgres://bot:hun/ter2?x@db/bot", "postgres://bot:...@db/bot"),
            ("postgres://bot:h@unter2#@db/bot", "postgres://bot:...@db/bot"),
            ("redis://:hunter2@h", "redis://:...@h"),
            ("cosmos://:hunter2==@h/d", "cosmos://:...@h/d"),
            ("azblob:state?layout=js", "azblob:state?layout=js"),
            (
                "azblob:https://a.example/c?sig=hunter2&sv=1",
                "azblob:https://a.example/c?sig=...&sv=...",
            ),
            ("azblob:AccountKey=hunter2;", "azblob:..."),
            ("AccountEndpoint=x;AccountKey=hunter2", "..."),
            ("https://h/?hunter2", "https://h/?..."),
            ("plain-id", "plain-id"),
        ] {
            assert_eq!(url(text), shown);
            assert!(!url(text).contains("hunter2"));
        }
    }
}
