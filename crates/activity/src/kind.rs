//! What an activity is: its `type` member.
//!
//! Names are compared letter by letter, as every Bot Framework runtime dispatches them; `Message`
//! with a capital is another type, and is kept as it came.

use std::fmt;

use serde::de::Error;
use serde::{Serialize, Serializer};

use crate::json::read::{Place, ReadJson};
use crate::json::write::WriteJson;
use crate::json::write_string;

macro_rules! kinds {
    ($( $(#[$meta:meta])* $Variant:ident = $name:literal, )*) => {
        /// The type of an activity.
        ///
        /// Make one from a name with [`Kind::from`], which never puts a known name in
        /// [`Kind::Other`].
        ///
        /// # Example
        ///
        /// ```
        /// use sayso_activity::Kind;
        ///
        /// assert_eq!(Kind::from("endOfConversation"), Kind::EndOfConversation);
        /// assert_eq!(Kind::from("Message").to_string(), "Message");
        /// ```
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $( $(#[$meta])* $Variant, )*
            /// A type that this crate has no name for.
            Other(Box<str>),
        }

        impl Kind {
            /// The name on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$Variant => $name, )*
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for Kind {
            fn from(name: &str) -> Self {
                match name {
                    $( $name => Self::$Variant, )*
                    other => Self::Other(other.into()),
                }
            }
        }

        #[cfg(test)]
        const NAMES: &[(Kind, &str)] = &[$( (Kind::$Variant, $name), )*];
    };
}

kinds! {
    /// Something said, by a person or a bot.
    #[default]
    Message = "message",
    /// A message was edited.
    MessageUpdate = "messageUpdate",
    /// A message was taken back.
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
    /// The other side is writing.
    Typing = "typing",
    /// The bot was installed or removed.
    InstallationUpdate = "installationUpdate",
    /// A named request whose result comes later.
    Command = "command",
    /// The result of a command.
    CommandResult = "commandResult",
    /// A line for whoever is debugging.
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

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl WriteJson for Kind {
    fn write(&self, to: &mut String) {
        write_string(to, self.as_str());
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
    use super::{Kind, NAMES};

    #[test]
    fn each_name_leads_back_to_its_kind() {
        assert_eq!(NAMES.len(), 19);
        for (kind, name) in NAMES {
            assert_eq!(Kind::from(*name), *kind);
            assert_eq!(kind.as_str(), *name);
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
