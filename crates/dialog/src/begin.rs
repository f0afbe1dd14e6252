//! Activities that begin a conversation: messages, and what its author adds to them.

use sayso_activity::{Activity, Kind};

/// Activities other than messages that begin a conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beginnings {
    /// True if somebody who joins begins it.
    pub(crate) joins: bool,
    /// Names of events that begin it.
    pub(crate) events: Vec<String>,
}

/// Error: a conversation that is not under way was handed an activity that begins nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} was handed {activity} and is not under way: only messages begin it, so nothing would \
     happen; let this begin it with {cure}, or do not hand it over"
)]
pub struct NotBegun {
    what: String,
    activity: String,
    cure: String,
}

impl Beginnings {
    /// Reports whether an activity begins the conversation; an error if its author must have
    /// thought so. What a channel sends all the time (typing, reactions) begins nothing and is no
    /// error.
    pub(crate) fn begin(&self, activity: &Activity, what: &str) -> Result<bool, NotBegun> {
        let is_join = is_join(activity);
        let name = activity.name.as_deref().unwrap_or_default();
        let cure = match activity.kind {
            Kind::Message => return Ok(true),
            Kind::ConversationUpdate if is_join && self.joins => return Ok(true),
            Kind::ConversationUpdate if is_join => "`begin_on_join()`".to_owned(),
            Kind::Event if self.events.iter().any(|event| event == name) => return Ok(true),
            Kind::Event => format!("`begin_on([\"{name}\"])`"),
            _ => return Ok(false),
        };
        let activity = match is_join {
            true => "somebody who joined (`conversationUpdate`)".to_owned(),
            false => format!("the event `{name}`"),
        };
        Err(NotBegun { what: what.to_owned(), activity, cure })
    }
}

/// Reports whether somebody other than the bot itself joins.
fn is_join(activity: &Activity) -> bool {
    let bot = activity.recipient.as_ref().and_then(|bot| bot.id.as_deref());
    let members = activity.members_added.as_deref().unwrap_or_default();
    activity.kind == Kind::ConversationUpdate && members.iter().any(|who| who.id.as_deref() != bot)
}
