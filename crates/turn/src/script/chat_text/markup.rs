//! Markup in brackets in a `.chat` line: everything that is not text.

use std::time::Duration;

use sayso_activity::{Activity, Kind};

use super::{Line, attachment::Named};

/// A line split into text and markup.
pub(super) struct MarkedText {
    pub(super) text: String,
    pub(super) markup: Vec<Markup>,
}

pub(super) enum Markup {
    Attachment(Named),
    Delay(Duration),
    Joins,
    Other(Box<Activity>),
}

/// Splits the markup from a line. Other brackets are text.
pub(super) fn read(words: &str) -> MarkedText {
    let (mut text, mut markup) = (String::new(), Vec::new());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('[') {
        text.push_str(before);
        match after.split_once(']').and_then(|(inside, rest)| Some((item(inside)?, rest))) {
            Some((item, behind)) => {
                markup.push(item);
                rest = behind;
            }
            None => {
                text.push('[');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    MarkedText { text: text.trim().to_owned(), markup }
}

fn item(inside: &str) -> Option<Markup> {
    let (word, value) = inside.split_once('=').unwrap_or((inside, ""));
    let value = value.trim();
    let other = |activity| Markup::Other(Box::new(activity));
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "attachment" if !value.is_empty() => Markup::Attachment(Named::parse(value)),
        "delay" => Markup::Delay(Duration::from_millis(value.parse().ok()?)),
        "typing" if value.is_empty() => other(Activity::typing()),
        "event" if !value.is_empty() => other(Activity::event(value)),
        "endofconversation" if value.is_empty() => other(Activity::end_of_conversation()),
        "conversationupdate" if value.is_empty() => Markup::Joins,
        _ => return None,
    })
}

/// Formats a line, if the format can express it.
pub(super) fn write(line: &Line) -> Option<String> {
    let activity = match line {
        Line::Pause(time) => return Some(format!("[Delay={}]", time.as_millis())),
        line => line.activity()?,
    };
    Some(match (&activity.kind, &activity.name) {
        (Kind::Message, _) => {
            let files = activity.attachments.iter().flatten().map(|attachment| {
                let file = attachment.name.as_deref().or(attachment.content_url.as_deref());
                let sort = attachment.content_type.as_deref().unwrap_or_default();
                format!("[Attachment={} {sort}]", file.unwrap_or("card"))
            });
            let text = activity.text();
            let parts = std::iter::once(text.to_owned()).filter(|text| !text.is_empty());
            parts.chain(files).collect::<Vec<_>>().join(" ")
        }
        (Kind::Typing, _) => "[Typing]".to_owned(),
        (Kind::EndOfConversation, _) => "[EndOfConversation]".to_owned(),
        (Kind::ConversationUpdate, _) => "[ConversationUpdate]".to_owned(),
        (Kind::Event, Some(name)) => format!("[Event={name}]"),
        _ => return None,
    })
}
