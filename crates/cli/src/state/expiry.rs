//! Expiry of a document: its time, and the TTL that gave it.

use sayso::{
    DocumentTtl,
    turn::{clock::Timestamp, document::Document},
};

use super::units;

/// Describes the expiry of a document on one line; `None` if nothing is said of one.
pub(super) fn explain(document: &Document, now: Timestamp) -> Option<String> {
    let why = why(document);
    let Some(at) = document.ledger.expires else {
        return match document.bag.own_ttl() {
            Some(DocumentTtl::Never) => Some("never expires: a turn has set that".to_owned()),
            _ => why.map(|why| format!("does not expire as it is: {why}")),
        };
    };
    let why = why.unwrap_or_else(|| "the TTL of its kind of document".to_owned());
    let when = units::when(at, now);
    Some(match (at <= now, document.bag.own_ttl()) {
        (true, Some(DocumentTtl::Never)) => {
            format!("never expires: a turn has set that (an older build dated it {when})")
        }
        (true, _) => format!("expired {when}, it counts as absent: {why}"),
        (false, _) => format!("expires {when}: {why}"),
    })
}

/// Describes the TTL of the document's own, if it has one.
fn why(document: &Document) -> Option<String> {
    let lifetime = document.bag.lifetime()?;
    match lifetime.own {
        Some(DocumentTtl::After(ttl)) => {
            return Some(format!("a turn has set a TTL of {}", units::span(ttl)));
        }
        Some(DocumentTtl::Never) => return Some("a turn has set that it never does".to_owned()),
        None => {}
    }
    let mut parts: Vec<String> = Vec::new();
    let mut others = 0;
    for (name, _) in document.bag.iter() {
        match lifetime.of.get(name) {
            Some(seconds) => {
                let ttl = units::span(std::time::Duration::from_secs(*seconds));
                parts.push(format!("{} is kept for {ttl}", name.escape_debug()));
            }
            None => others += 1,
        }
    }
    if others > 0 {
        let more = units::many(others, "other property", "other properties");
        parts.push(format!("{more} as long as its kind of document"));
    }
    Some(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use sayso::turn::Key;

    use super::*;

    #[test]
    fn the_reason_is_what_a_turn_has_set_else_the_types_else_the_kind() {
        let now = Timestamp::from_millis(1_000_000);
        let said = |properties: &str, ledger: &str| {
            let body = format!(r#"{{{properties}"$sayso":{{"v":1{ledger}}}}}"#);
            explain(&Document::parse(&Key::new("k").unwrap(), &body).unwrap(), now)
        };
        assert_eq!(said("", ""), None);
        assert_eq!(
            said("", r#","expires":1060000"#).unwrap(),
            "expires in 60 s: the TTL of its kind of document"
        );
        assert_eq!(
            said("", r#","expires":1060000,"ttl":{"own":{"after":7200}}"#).unwrap(),
            "expires in 60 s: a turn has set a TTL of 2 h"
        );
        let order = r#","ttl":{"of":{"Order":259200}}"#;
        assert_eq!(
            said(r#""Order":1,"DialogState":{},"#, &format!(r#","expires":940000{order}"#))
                .unwrap(),
            "expired 60 s ago, it counts as absent: Order is kept for 3 d, 1 other property as long \
             as its kind of document"
        );
        assert_eq!(
            said(r#""Order":1,"#, order).unwrap(),
            "does not expire as it is: Order is kept for 3 d"
        );
        let never = r#","ttl":{"own":"never"}"#;
        assert_eq!(said("", never).unwrap(), "never expires: a turn has set that");
        assert!(said("", &format!(r#","expires":1{never}"#)).unwrap().starts_with("never expires"));
    }
}
