//! Activities of a skill's caller: another bot that calls this one, and its name space.
//!
//! A calling bot is no channel: the ids in its activities are whatever it says. So that it cannot
//! name the conversations and users of a channel, or those of another caller, the endpoint puts its
//! app id, which it has proved, in front of the channel's id: `skill:{caller}:{channel}`. Storage
//! keys, references, timers and replies all carry the channel's id, and so the caller. On the wire
//! it never appears.

use serde_json::Value;

use crate::{Activity, Raw, Reference};

/// Beginning of such a channel's id. No activity from outside may have it.
pub const SKILL_CHANNEL: &str = "skill:";

/// The caller and the channel in a channel's id.
fn split(channel_id: Option<&str>) -> Option<(&str, &str)> {
    channel_id?.strip_prefix(SKILL_CHANNEL)?.split_once(':')
}

/// The channel's id in a caller's name space.
fn join(caller: &str, channel_id: &str) -> String {
    format!("{SKILL_CHANNEL}{caller}:{channel_id}")
}

impl Activity {
    /// Returns the app id of the bot that called this one as a skill, if one did.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let text = br#"{"type":"message","channelId":"msteams","conversation":{"id":"c"}}"#;
    /// let mut activity = Activity::from_json(text)?;
    /// assert_eq!(activity.skill_caller(), None);
    /// activity.enter_skill("parent");
    /// assert_eq!(activity.channel_id.as_deref(), Some("skill:parent:msteams"));
    /// assert_eq!(activity.skill_caller(), Some("parent"));
    /// assert_eq!(activity.channel(), "msteams");
    /// activity.leave_skill();
    /// assert_eq!(activity.to_json(), text);
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    #[must_use]
    pub fn skill_caller(&self) -> Option<&str> {
        split(self.channel_id.as_deref()).map(|(caller, _)| caller)
    }

    /// Returns the id of the channel that the user is on, also if another bot is in between; empty
    /// if there is none. It is for choosing what to show; as a name of stored things it is not
    /// unique, and [`channel_id`](Self::channel_id) is.
    #[must_use]
    pub fn channel(&self) -> &str {
        let id = self.channel_id.as_deref();
        split(id).map_or(id.unwrap_or_default(), |(_, channel)| channel)
    }

    /// Puts the activity into the name space of a calling bot: its channel, and the one that it
    /// [relates to](Self::relates_to). `caller` must not contain a colon.
    pub fn enter_skill(&mut self, caller: &str) {
        self.channel_id = Some(join(caller, self.channel_id.as_deref().unwrap_or_default()));
        self.change_related(|channel_id| join(caller, channel_id));
    }

    /// Takes it out again, for the wire.
    pub fn leave_skill(&mut self) {
        let outside = |id: &str| split(Some(id)).map_or(id, |(_, channel)| channel).to_owned();
        self.channel_id = self.channel_id.as_deref().map(outside);
        self.change_related(outside);
    }

    /// Changes the channel's id in what it relates to, however little else of that can be read.
    fn change_related(&mut self, change: impl FnOnce(&str) -> String) {
        let related = self.relates_to.as_ref().and_then(|raw| raw.get::<Value>().ok());
        let Some(mut related) = related else { return };
        let Some(Value::String(channel_id)) = related.get_mut("channelId") else { return };
        *channel_id = change(channel_id);
        self.relates_to = Some(Raw::from(related));
    }
}

impl Reference {
    /// Returns the app id of the bot that called this one as a skill in this conversation, if one
    /// did.
    #[must_use]
    pub fn skill_caller(&self) -> Option<&str> {
        split(self.channel_id.as_deref()).map(|(caller, _)| caller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(text: &str) -> Activity {
        Activity::from_json(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_caller_and_its_channel_are_found_and_nothing_else_is_taken_for_one() {
        for (id, caller, channel) in [
            ("msteams", None, "msteams"),
            ("skill", None, "skill"),
            ("skill:p", None, "skill:p"),
            ("Skill:p:c", None, "Skill:p:c"),
            ("skill:p:c", Some("p"), "c"),
            ("skill:p:skill:q:c", Some("p"), "skill:q:c"),
            ("skill:p:", Some("p"), ""),
        ] {
            let one = Activity { channel_id: Some(id.to_owned()), ..Activity::default() };
            assert_eq!((one.skill_caller(), one.channel()), (caller, channel), "{id}");
            let reference = Reference { channel_id: Some(id.to_owned()), ..Reference::default() };
            assert_eq!(reference.skill_caller(), caller);
        }
        assert_eq!((Activity::default().skill_caller(), Activity::default().channel()), (None, ""));
    }

    #[test]
    fn what_it_relates_to_is_in_the_same_name_space() {
        let text = r#"{"type":"event","channelId":"msteams","relatesTo":{"bot":null,"channelId":"msteams","conversation":{"id":"c"},"extra":7}}"#;
        let mut one = activity(text);
        one.enter_skill("p");
        let related: Value = one.relates_to.as_ref().unwrap().get().unwrap();
        assert_eq!(related["channelId"], "skill:p:msteams");
        one.leave_skill();
        assert_eq!(String::from_utf8(one.to_json()).unwrap(), text);
    }
}
