//! Trigger of a handler: the activities that it matches.

use std::{fmt, sync::Arc};

use regex_lite::Regex;
use sayso_activity::{Account, Activity, Kind, TokenResponse};

/// Trigger of a handler: the activities that it matches.
#[derive(Clone)]
pub(super) enum Trigger {
    Kind(Kind),
    Named(Kind, String),
    MembersAdded,
    MembersRemoved,
    ReactionsAdded,
    ReactionsRemoved,
    Installed,
    Uninstalled,
    TokenResponse,
    /// A message that begins with this word.
    Word(String),
    /// A message whose text matches.
    Pattern(Arc<Regex>),
    /// Whatever an [`ActivityHandler`](crate::ActivityHandler) reports that it handles.
    Custom(Arc<dyn Fn(&Activity) -> bool + Send + Sync>),
    /// Every activity that no other handler matches.
    Any,
}

impl Trigger {
    pub(super) fn fits(&self, activity: &Activity) -> bool {
        let is = |kind: &Kind| activity.kind == *kind;
        match self {
            Self::Kind(kind) => is(kind),
            Self::Named(kind, name) => is(kind) && activity.name.as_deref() == Some(name),
            Self::MembersAdded => !added(activity).is_empty(),
            Self::MembersRemoved => !removed(activity).is_empty(),
            Self::ReactionsAdded => {
                is(&Kind::MessageReaction) && !activity.reactions_added().is_empty()
            }
            Self::ReactionsRemoved => {
                is(&Kind::MessageReaction) && !activity.reactions_removed().is_empty()
            }
            Self::Installed => installation(activity) == Some(Installation::Added),
            Self::Uninstalled => installation(activity) == Some(Installation::Removed),
            Self::TokenResponse => token(activity).is_some(),
            Self::Word(word) => is(&Kind::Message) && begins_with(activity.text(), word),
            Self::Pattern(pattern) => is(&Kind::Message) && pattern.is_match(activity.text()),
            Self::Custom(handles) => handles(activity),
            Self::Any => false,
        }
    }

    /// Kind of the activities that it matches, if it is one kind.
    fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Kind(kind) | Self::Named(kind, _) => kind.clone(),
            Self::MembersAdded | Self::MembersRemoved => Kind::ConversationUpdate,
            Self::ReactionsAdded | Self::ReactionsRemoved => Kind::MessageReaction,
            Self::Installed | Self::Uninstalled => Kind::InstallationUpdate,
            Self::TokenResponse => Kind::Event,
            Self::Word(_) | Self::Pattern(_) => Kind::Message,
            Self::Custom(_) | Self::Any => return None,
        })
    }

    /// Reports whether it certainly matches everything that a later one does.
    pub(super) fn covers(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Kind(kind), _) => later.kind().as_ref() == Some(kind),
            (Self::Named(Kind::Event, name), Self::TokenResponse) => *name == TokenResponse::NAME,
            (Self::TokenResponse, _) => matches!(later, Self::TokenResponse),
            _ => self == later,
        }
    }
}

impl PartialEq for Trigger {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kind(one), Self::Kind(other)) => one == other,
            (Self::Named(one, name), Self::Named(other, named)) => one == other && name == named,
            (Self::Word(one), Self::Word(other)) => one == other,
            (Self::Pattern(one), Self::Pattern(other)) => one.as_str() == other.as_str(),
            // Nobody knows what they match.
            (Self::Custom(_), _) => false,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Names the activities in an error: `message`, `event tick`.
impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "`{}`", kind.as_str()),
            Self::Named(kind, name) => write!(f, "`{kind} {name}`"),
            Self::MembersAdded => f.write_str("`members added`"),
            Self::MembersRemoved => f.write_str("`members removed`"),
            Self::ReactionsAdded => f.write_str("`reactions added`"),
            Self::ReactionsRemoved => f.write_str("`reactions removed`"),
            Self::Installed => f.write_str("`installed`"),
            Self::Uninstalled => f.write_str("`uninstalled`"),
            Self::TokenResponse => f.write_str("`token response`"),
            Self::Word(word) => write!(f, "`message {word}`"),
            Self::Pattern(pattern) => write!(f, "`message matching {}`", pattern.as_str()),
            Self::Custom(_) => f.write_str("`activity handler`"),
            Self::Any => f.write_str("`any`"),
        }
    }
}

impl fmt::Debug for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_string().trim_matches('`'))
    }
}

/// Reports whether the first word of a text is this one, whatever its case. A bot's name behind it
/// does not count, which groups of some channels add: `/help@pizza_bot`.
fn begins_with(text: &str, word: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let first = match first.strip_prefix('/') {
        Some(_) => first.split('@').next().unwrap_or(first),
        None => first,
    };
    first.eq_ignore_ascii_case(word) || first.to_lowercase() == word.to_lowercase()
}

/// Change of the bot's installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Installation {
    Added,
    Removed,
}

pub(super) fn installation(activity: &Activity) -> Option<Installation> {
    if activity.kind != Kind::InstallationUpdate {
        return None;
    }
    match activity.action()?.as_str() {
        "add" | "add-upgrade" => Some(Installation::Added),
        "remove" | "remove-upgrade" => Some(Installation::Removed),
        _ => None,
    }
}

/// Members who arrived, without the bot itself.
pub(super) fn added(activity: &Activity) -> Vec<Account> {
    others(activity, activity.members_added.as_deref())
}

/// Members who left, without the bot itself. An update that also adds members does not count as a
/// departure, as in other runtimes.
pub(super) fn removed(activity: &Activity) -> Vec<Account> {
    match activity.members_added.as_deref() {
        None | Some([]) => others(activity, activity.members_removed.as_deref()),
        Some(_) => Vec::new(),
    }
}

fn others(activity: &Activity, members: Option<&[Account]>) -> Vec<Account> {
    if activity.kind != Kind::ConversationUpdate {
        return Vec::new();
    }
    let bot = activity.recipient.as_ref().and_then(|bot| bot.id.as_deref());
    let others = members.unwrap_or_default().iter().filter(|who| who.id.as_deref() != bot);
    others.cloned().collect()
}

/// Token of a `tokens/response` event.
pub(super) fn token(activity: &Activity) -> Option<TokenResponse> {
    let is_named = activity.name.as_deref() == Some(TokenResponse::NAME);
    if activity.kind != Kind::Event || !is_named {
        return None;
    }
    activity.value.as_ref()?.get().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(text: &str) -> Activity {
        Activity::from_json(text.as_bytes()).unwrap()
    }

    fn ids(members: &[Account]) -> Vec<&str> {
        members.iter().map(|who| who.id.as_deref().unwrap_or("-")).collect()
    }

    #[test]
    fn the_bot_itself_neither_comes_nor_leaves() {
        for (members, came, left) in [
            (r#""membersAdded":[{"id":"b"}]"#, vec![], vec![]),
            (r#""membersAdded":[{"id":"b"},{"id":"a"},{}]"#, vec!["a", "-"], vec![]),
            (r#""membersRemoved":[{"id":"a"},{"id":"b"}]"#, vec![], vec!["a"]),
            (r#""membersAdded":[],"membersRemoved":[{"id":"a"}]"#, vec![], vec!["a"]),
            (r#""membersAdded":[{"id":"a"}],"membersRemoved":[{"id":"c"}]"#, vec!["a"], vec![]),
            (r#""membersAdded":[{"id":"b"}],"membersRemoved":[{"id":"c"}]"#, vec![], vec![]),
            (r#""topicName":"t""#, vec![], vec![]),
        ] {
            let update = activity(&format!(
                r#"{{"type":"conversationUpdate","recipient":{{"id":"b"}},{members}}}"#
            ));
            assert_eq!(ids(&added(&update)), came, "{members}");
            assert_eq!(ids(&removed(&update)), left, "{members}");
        }
        let message = activity(r#"{"type":"message","membersAdded":[{"id":"a"}]}"#);
        assert!(added(&message).is_empty());
    }

    #[test]
    fn an_installation_is_added_or_removed_or_neither() {
        for (action, expected) in [
            (r#""add""#, Some(Installation::Added)),
            (r#""add-upgrade""#, Some(Installation::Added)),
            (r#""remove""#, Some(Installation::Removed)),
            (r#""remove-upgrade""#, Some(Installation::Removed)),
            (r#""Add""#, None),
            ("7", None),
            ("null", None),
        ] {
            let text = |kind| format!(r#"{{"type":"{kind}","action":{action}}}"#);
            assert_eq!(installation(&activity(&text("installationUpdate"))), expected, "{action}");
            assert_eq!(installation(&activity(&text("contactRelationUpdate"))), None);
        }
    }

    #[test]
    fn only_an_event_of_that_name_brings_a_token() {
        for (text, is_token) in [
            (r#"{"type":"event","name":"tokens/response","value":{"token":"t"}}"#, true),
            (r#"{"type":"event","name":"tokens/response","value":"t"}"#, false),
            (r#"{"type":"event","name":"tokens/response"}"#, false),
            (r#"{"type":"event","name":"other","value":{"token":"t"}}"#, false),
            (r#"{"type":"invoke","name":"tokens/response","value":{"token":"t"}}"#, false),
        ] {
            assert_eq!(token(&activity(text)).is_some(), is_token, "{text}");
        }
    }
}
