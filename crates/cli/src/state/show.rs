//! `sayso state show`: prints a document, with the runtime's ledger explained.

use std::{process::ExitCode, sync::Arc};

use anyhow::bail;
use sayso::{
    activity::{Activity, Raw},
    turn::{
        ParkedKind,
        clock::Timestamp,
        document::{
            Accepted, Claim, Decided, Entry, Ledger, Lifetime, Parked, Prepared, Recorded, Timer,
        },
        id::ReplyId,
    },
};
use serde::Serialize;

use super::{
    expiry,
    facts::Facts,
    found::{Found, Looked, look, now},
    json,
    options::Show,
    units,
};
use crate::{
    place::Missing,
    terminal::{self, Look, Paint},
};

/// Maximum characters of a text, so that an entry stays one line.
const TEXT_CHARS_MAX: usize = 60;

/// Dead letters by kind, in words: one, many, their fate.
const PARKED: [(ParkedKind, &str, &str, &str); 3] = [
    (ParkedKind::Reply, "reply", "replies", "could not be delivered"),
    (ParkedKind::Timer, "timer", "timers", "failed for good and can be tried again"),
    (ParkedKind::Turn, "acknowledged turn", "acknowledged turns", "failed for good"),
];

/// Prints the document as text, as JSON, or as it is stored.
pub(super) async fn run(options: Show) -> anyhow::Result<ExitCode> {
    let key = options.whose.key(&options.place.load()?, &options.key)?;
    let store = options.place.open(Missing::Refuse).await?;
    if options.raw
        && let Some(stored) = store.load(&key).await?
    {
        terminal::print(&stored.body);
        return Ok(ExitCode::SUCCESS);
    }
    match look(store.as_ref(), &key).await? {
        Looked::Found(found) if options.json => terminal::line(to_json(&found)?),
        Looked::Found(found) => terminal::print(&text(&found, now(), Paint::stdout())),
        Looked::Absent => {
            bail!("there is no document {key} in {store}; `sayso state ls` lists them")
        }
        Looked::Damaged { reason, etag } => match etag {
            Some(_) => bail!("{reason}; --raw shows what is stored"),
            None => bail!(reason),
        },
    }
    Ok(ExitCode::SUCCESS)
}

/// JSON form of a document, for programs.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    key: &'a str,
    etag: &'a str,
    revision: u64,
    turns: u64,
    bytes: usize,
    /// Number of ids in the deduplication window.
    seen: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
    /// TTL of the document's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl: Option<&'a Lifetime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<&'a Claim>,
    inbox: &'a [Arc<Accepted>],
    outbox: &'a [Arc<Entry>],
    /// Ids that the channel gave to sent messages, so that later turns can change them.
    sent: &'a [(ReplyId, String)],
    timers: &'a [Arc<Timer>],
    parked: &'a [Arc<Parked>],
    answers: &'a [Arc<Recorded>],
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared: Option<&'a Prepared>,
    decided: &'a [Decided],
    properties: Raw,
}

fn to_json(found: &Found) -> serde_json::Result<String> {
    let ledger = &found.document.ledger;
    serde_json::to_string(&Shown {
        key: found.key.as_str(),
        etag: found.etag.as_str(),
        revision: ledger.rev,
        turns: ledger.turn,
        bytes: found.body.len(),
        seen: ledger.seen.len(),
        expires: ledger.expires,
        ttl: found.document.bag.lifetime().map(|lifetime| &**lifetime),
        claim: ledger.claim.as_ref(),
        inbox: &ledger.inbox,
        outbox: &ledger.outbox,
        sent: &ledger.sent,
        timers: &ledger.timers,
        parked: &ledger.parked,
        answers: &ledger.answers,
        prepared: ledger.prepared.as_deref(),
        decided: &ledger.decided,
        properties: Raw::from_text(found.document.bag.to_json())?,
    })
}

fn text(found: &Found, now: Timestamp, paint: Paint) -> String {
    let facts = Facts::new(found);
    let mut lines = vec![paint.text(Look::Bold, &found.key)];
    lines.push(format!(
        "  written {} by {}, {}, version {}",
        units::many(facts.revision as usize, "time", "times"),
        units::many(facts.turns as usize, "turn", "turns"),
        units::bytes(facts.bytes),
        found.etag.as_str().escape_debug(),
    ));
    lines.extend(expiry::explain(&found.document, now).map(|said| format!("  {said}")));
    lines.extend(explain(&found.document.ledger, now, paint));
    lines.push(String::new());
    lines.push(json::pretty(&found.document.bag.to_json()));
    lines.join("\n") + "\n"
}

/// Describes the ledger in words.
fn explain(ledger: &Ledger, now: Timestamp, paint: Paint) -> Vec<String> {
    let mut lines = Vec::new();
    if !ledger.seen.is_empty() {
        let seen = units::many(ledger.seen.len(), "activity id is", "activity ids are");
        lines.push(format!("  {seen} remembered, so that a redelivery does not count again"));
    }
    if !ledger.answers.is_empty() {
        let answers = units::many(ledger.answers.len(), "answer", "answers");
        lines.push(format!("  {answers} kept for redeliveries"));
    }
    if !ledger.sent.is_empty() {
        let sent = units::many(ledger.sent.len(), "sent message is", "sent messages are");
        lines.push(format!("  {sent} remembered, so that a later turn can change them"));
    }
    lines.extend(line_up(ledger, now, paint));
    let head = |look: Look, text: String| format!("  {}", paint.text(look, text));
    if !ledger.outbox.is_empty() {
        let by = match &ledger.claim {
            Some(claim) => format!("instance {} delivers", claim.by.escape_debug()),
            None => "nobody delivers yet".to_owned(),
        };
        let replies = units::many(ledger.outbox.len(), "reply waits", "replies wait");
        lines.push(head(Look::Yellow, format!("{replies} to be handed over, {by}:")));
        lines.extend(ledger.outbox.iter().map(|entry| {
            let doubt = if entry.is_doubtful { " (may have arrived already)" } else { "" };
            format!("    {}  {}{doubt}", entry.id, brief(&entry.activity))
        }));
    }
    if !ledger.timers.is_empty() {
        lines.push(head(Look::Cyan, units::many(ledger.timers.len(), "timer:", "timers:")));
        lines.extend(ledger.timers.iter().map(|timer| {
            let (id, at) = (timer.id.escape_debug(), units::when(timer.at, now));
            format!("    {id}  {at}  {}", brief(timer.activity.as_str()))
        }));
    }
    if !ledger.parked.is_empty() {
        for (kind, one, many, fate) in PARKED {
            let parked: Vec<_> = ledger.parked.iter().filter(|it| it.kind == kind).collect();
            if parked.is_empty() {
                continue;
            }
            let count = units::many(parked.len(), one, many);
            lines.push(head(Look::Red, format!("{count} {fate}:")));
            lines.extend(parked.into_iter().map(|parked| {
                let (at, reason) = (units::when(parked.at, now), parked.reason.escape_debug());
                format!("    {}  {at}  {}: {reason}", parked.id, brief(parked.activity.as_str()))
            }));
        }
    }
    if let Some(prepared) = &ledger.prepared {
        let by = prepared.by.escape_debug();
        lines.push(format!("  a change is prepared; {by} decides whether it happens"));
    }
    for decided in &ledger.decided {
        let others = units::many(decided.documents.len(), "other document", "other documents");
        lines.push(format!("  a turn decided about {others}, which may not be finished"));
    }
    lines
}

/// Describes the turns that have not ended.
fn line_up(ledger: &Ledger, now: Timestamp, paint: Paint) -> Vec<String> {
    if ledger.inbox.is_empty() {
        return Vec::new();
    }
    let by = match &ledger.claim {
        Some(claim) => format!("instance {} runs them in order", claim.by.escape_debug()),
        None => "nobody runs them yet".to_owned(),
    };
    let turns = units::many(ledger.inbox.len(), "turn is", "turns are");
    let head = format!("{turns} acknowledged and not ended, {by}:");
    let head = format!("  {}", paint.text(Look::Yellow, head));
    let entries = ledger.inbox.iter().map(|accepted| accepted_line(accepted, now));
    std::iter::once(head).chain(entries).collect()
}

/// Describes a turn that has not ended, on one line.
fn accepted_line(accepted: &Accepted, now: Timestamp) -> String {
    let id = accepted.ids.first().map(String::as_str).unwrap_or_default();
    let more = match accepted.ids.len() {
        0 | 1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let timer = if accepted.is_timer { " of a timer" } else { "" };
    let lost = match accepted.lost {
        0 => String::new(),
        lost => format!(
            " ({} gone while they ran it)",
            units::many(lost as usize, "instance was", "instances were")
        ),
    };
    let since = units::when(accepted.at, now);
    let what = brief(accepted.activity.as_str());
    format!("    {}{more}  {since}  {what}{timer}{lost}", id.escape_debug())
}

/// Describes an activity in a few words.
fn brief(json: &str) -> String {
    let Ok(activity) = serde_json::from_str::<Activity>(json) else {
        return "no activity".to_owned();
    };
    let mut text = activity.kind.to_string();
    let recipient = activity.recipient.as_ref().and_then(|account| account.id.as_deref());
    if let Some(recipient) = recipient {
        text.push_str(&format!(" to {}", recipient.escape_debug()));
    }
    if let Some(name) = &activity.name {
        text.push_str(&format!(" named {}", name.escape_debug()));
    }
    let said: String = activity.text().chars().take(TEXT_CHARS_MAX).collect();
    if !said.is_empty() {
        let more = if said.len() < activity.text().len() { "…" } else { "" };
        text.push_str(&format!(" \"{}{more}\"", said.escape_debug()));
    }
    text
}

#[cfg(test)]
mod tests {
    use sayso::turn::{Key, store::ETag};

    use super::*;

    fn found() -> Found {
        let body = r#"{"Order":{"n":1e400},"$sayso":{"v":1,"turn":2,"rev":3,"seen":"AAAAAAAAAAAAAAAA",
            "claim":{"by":"i1","beat":3},"sent":[["a.1","7"]],
            "inbox":[{"ids":["AAAAAAAAAAAAAAAA","B"],"at":30000,"lost":2,"activity":{"type":"message","text":"slow"}},
                     {"ids":["C"],"at":59000,"timer":true,"activity":{"type":"event","name":"remind"}}],
            "outbox":[{"id":"a.0","activity":{"type":"message","recipient":{"id":"ann"},"text":"hi"},"doubtful":true}],
            "timers":[{"id":"t","at":120000,"activity":{"type":"event","name":"remind"}}],
            "parked":[{"id":"b.0","reason":"refused","at":0,"activity":{"type":"message"}},
                      {"id":"c.f","kind":"timer","reason":"no oven","at":0,"activity":{"type":"event","name":"remind"}}]}}"#;
        Found::new(&Key::new("k").unwrap(), body.to_owned(), ETag::new("7")).unwrap()
    }

    #[test]
    fn the_ledger_is_told_in_words_and_the_properties_are_exact() {
        let text = text(&found(), Timestamp::from_millis(60_000), Paint::off());
        for words in [
            "written 3 times by 2 turns",
            "1 activity id is remembered",
            "1 sent message is remembered",
            "2 turns are acknowledged and not ended, instance i1 runs them in order:",
            "AAAAAAAAAAAAAAAA and 1 more  30 s ago  message \"slow\" (2 instances were gone while",
            "C  1 s ago  event named remind of a timer",
            "1 reply waits to be handed over, instance i1 delivers:",
            "a.0  message to ann \"hi\" (may have arrived already)",
            "t  in 60 s  event named remind",
            "1 reply could not be delivered:",
            "b.0  60 s ago  message: refused",
            "1 timer failed for good and can be tried again:",
            "c.f  60 s ago  event named remind: no oven",
            "\"n\": 1e400",
        ] {
            assert!(text.contains(words), "{words} in {text}");
        }
    }

    #[test]
    fn json_has_everything_and_every_digit() {
        let text = to_json(&found()).unwrap();
        assert!(text.contains(r#""properties":{"Order":{"n":1e400}}"#), "{text}");
        assert!(text.contains(r#""outbox":[{"id":"a.0""#), "{text}");
        assert!(text.contains(r#""revision":3,"turns":2"#), "{text}");
        assert!(text.contains(r#""inbox":[{"ids":["AAAAAAAAAAAAAAAA","B"],"at":30000,"lost":2,"#));
        assert!(text.contains(r#""sent":[["a.1","7"]]"#), "{text}");
    }
}
