//! Type of an activity: its `type` member.

use serde::de::Error;

use crate::json::open_enum::open_enum;
use crate::json::read::{Place, ReadJson};

open_enum! {
    /// The type of an activity.
    ///
    /// Make one from a name with [`Kind::from`], which never puts a known name in
    /// [`Kind::Other`]. Names are compared letter by letter, as every Bot Framework runtime
    /// dispatches them: `Message` with a capital is another type.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Kind;
    ///
    /// assert_eq!(Kind::from("endOfConversation"), Kind::EndOfConversation);
    /// assert_eq!(Kind::from("Message").to_string(), "Message");
    /// ```
    pub enum Kind {
        /// A message, by a person or a bot.
        #[default]
        Message = "message",
        /// A message was edited.
        MessageUpdate = "messageUpdate",
        /// A message was deleted.
        MessageDelete = "messageDelete",
        /// Reactions were put on a message or taken off it.
        MessageReaction = "messageReaction",
        /// Members came or went, or the conversation changed otherwise.
        ConversationUpdate = "conversationUpdate",
        /// A named event, between programs.
        Event = "event",
        /// A named request that wants an answer at once.
        Invoke = "invoke",
        /// The answer to an invoke; it travels in the HTTP response.
        InvokeResponse = "invokeResponse",
        /// The conversation, or the part that a skill had in it, is over.
        EndOfConversation = "endOfConversation",
        /// A typing indicator.
        Typing = "typing",
        /// The bot was installed or removed.
        InstallationUpdate = "installationUpdate",
        /// A named request whose result comes later.
        Command = "command",
        /// The result of a command.
        CommandResult = "commandResult",
        /// A log line for developers.
        Trace = "trace",
        /// A pause before the next reply; it is never sent.
        Delay = "delay",
        /// The conversation passes to another agent.
        Handoff = "handoff",
        /// The bot was put on a user's list of contacts, or taken off it.
        ContactRelationUpdate = "contactRelationUpdate",
        /// A user asks that what is known of them be deleted.
        DeleteUserData = "deleteUserData",
        /// A private proposal for a message of somebody else.
        Suggestion = "suggestion",
    }
}

impl<'de> ReadJson<'de> for Kind {
    const EXPECTED: &'static str = "a string that is not empty";

    fn read_str<E: Error>(place: Place<'_, Self>, name: &str) -> Result<(), E> {
        if name.is_empty() {
            return Err(place.refused());
        }
        *place.value = Some(Self::from(name));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn each_name_leads_back_to_its_kind() {
        assert_eq!(Kind::KNOWN.len(), 19);
        for kind in Kind::KNOWN {
            assert_eq!(Kind::from(kind.as_str()), *kind);
        }
    }

    #[test]
    fn names_are_compared_letter_by_letter() {
        assert_eq!(Kind::from("Message"), Kind::Other("Message".into()));
        assert_eq!(Kind::from("message/text"), Kind::Other("message/text".into()));
    }

    #[test]
    fn the_default_is_a_message() {
        assert_eq!(Kind::default(), Kind::Message);
    }
}
