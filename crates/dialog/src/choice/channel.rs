//! Channel capabilities: how many buttons a channel shows, and how long they may be.

use sayso_activity::Activity;

use super::{Choice, ListStyle};

/// The most characters of a title that every channel shows on a button.
pub const TITLE_CHARS_MAX: usize = 20;

/// The most choices that the automatic rule puts into a sentence.
const INLINE_MAX: usize = 3;

/// The channel and the person that a question is shown to.
///
/// # Example
/// ```
/// use sayso_activity::Activity;
/// use sayso_dialog::choice::Place;
///
/// let mut inbound = Activity::message("hi");
/// inbound.channel_id = Some("directline".to_owned());
/// assert_eq!(Place::of(&inbound), Place::channel("directline"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place<'a> {
    /// The channel's id.
    pub channel: &'a str,
    /// The channel's word for the sort of conversation, such as `personal`.
    pub conversation_type: Option<&'a str>,
    /// The id of the person who is asked. Buttons under a message are shown to that person only.
    pub user: Option<&'a str>,
}

impl<'a> Place<'a> {
    /// Somewhere on a channel.
    #[must_use]
    pub const fn channel(channel: &'a str) -> Self {
        Self { channel, conversation_type: None, user: None }
    }

    /// The place that an inbound activity came from, and its sender.
    #[must_use]
    pub fn of(inbound: &'a Activity) -> Self {
        let conversation = inbound.conversation.as_ref();
        Self {
            channel: inbound.channel(),
            conversation_type: conversation.and_then(|c| c.conversation_type.as_deref()),
            user: inbound.from.as_ref().and_then(|from| from.id.as_deref()),
        }
    }

    /// The most buttons that can stand under a message here.
    #[must_use]
    pub fn suggested_actions_max(&self) -> usize {
        match self.channel_name() {
            "facebook" | "skype" => 10,
            "line" => 13,
            "kik" => 20,
            "telegram" | "emulator" | "directline" | "directlinespeech" | "webchat" => 100,
            // Only the C# SDK knows that personal chats have them.
            "msteams" if self.conversation_type == Some("personal") => 3,
            _ => 0,
        }
    }

    /// The most buttons that can stand on a card here.
    #[must_use]
    pub fn card_actions_max(&self) -> usize {
        match self.channel_name() {
            "facebook" | "skype" => 3,
            "msteams" => 50,
            "line" => 99,
            "telegram" | "emulator" | "directline" | "directlinespeech" | "webchat" | "slack"
            | "cortana" => 100,
            _ => 0,
        }
    }

    /// The style that [`ListStyle::Auto`] stands for here.
    ///
    /// Buttons if the titles are short and the channel has room for all of them, under the message
    /// rather than on a card; else a sentence for up to three short ones; else a list.
    ///
    /// # Example
    /// ```
    /// use sayso_dialog::choice::{ListStyle, Place};
    ///
    /// let choices = ["red", "green"].map(Into::into);
    /// assert_eq!(Place::channel("webchat").style_for(&choices), ListStyle::SuggestedAction);
    /// assert_eq!(Place::channel("email").style_for(&choices), ListStyle::Inline);
    /// ```
    #[must_use]
    pub fn style_for(&self, choices: &[Choice]) -> ListStyle {
        let count = choices.len();
        if choices.iter().any(|choice| choice.title().chars().count() > TITLE_CHARS_MAX) {
            ListStyle::List
        } else if count <= self.suggested_actions_max() {
            ListStyle::SuggestedAction
        } else if count <= self.card_actions_max() {
            ListStyle::HeroCard
        } else if count <= INLINE_MAX {
            ListStyle::Inline
        } else {
            ListStyle::List
        }
    }

    /// The channel without the part of it, as in `msteams:copilot`.
    fn channel_name(&self) -> &'a str {
        self.channel.split(':').next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use sayso_activity::{Account, Activity, ConversationAccount};

    use super::{Choice, ListStyle, Place};

    const TEAMS: Place<'_> =
        Place { channel: "msteams", conversation_type: Some("personal"), user: None };

    fn choices(count: usize) -> Vec<Choice> {
        (1..=count).map(|n| Choice::new(format!("choice {n}"))).collect()
    }

    #[test]
    fn each_channel_has_its_limits() {
        for (channel, suggested, card) in [
            ("facebook", 10, 3),
            ("skype", 10, 3),
            ("line", 13, 99),
            ("kik", 20, 0),
            ("telegram", 100, 100),
            ("emulator", 100, 100),
            ("directline", 100, 100),
            ("directlinespeech", 100, 100),
            ("webchat", 100, 100),
            ("msteams", 0, 50),
            ("msteams:copilot", 0, 50),
            ("slack", 0, 100),
            ("cortana", 0, 100),
            ("email", 0, 0),
            ("test", 0, 0),
            ("", 0, 0),
        ] {
            let place = Place::channel(channel);
            assert_eq!(place.suggested_actions_max(), suggested, "{channel}");
            assert_eq!(place.card_actions_max(), card, "{channel}");
        }
        assert_eq!((TEAMS.suggested_actions_max(), TEAMS.card_actions_max()), (3, 50));
        let group = Place { conversation_type: Some("groupChat"), ..TEAMS };
        assert_eq!(group.suggested_actions_max(), 0);
    }

    #[test]
    fn the_automatic_rule_takes_what_fits_the_channel() {
        let check = |place: Place<'_>, count: usize, style: ListStyle| {
            assert_eq!(place.style_for(&choices(count)), style, "{place:?} {count}");
        };
        check(Place::channel("facebook"), 10, ListStyle::SuggestedAction);
        check(Place::channel("facebook"), 11, ListStyle::List);
        check(Place::channel("line"), 13, ListStyle::SuggestedAction);
        check(Place::channel("line"), 14, ListStyle::HeroCard);
        check(Place::channel("line"), 99, ListStyle::HeroCard);
        check(Place::channel("line"), 100, ListStyle::List);
        check(Place::channel("kik"), 21, ListStyle::List);
        check(Place::channel("slack"), 1, ListStyle::HeroCard);
        check(Place::channel("slack"), 101, ListStyle::List);
        check(Place::channel("test"), 3, ListStyle::Inline);
        check(Place::channel("test"), 4, ListStyle::List);
        check(TEAMS, 3, ListStyle::SuggestedAction);
        check(TEAMS, 4, ListStyle::HeroCard);
        check(TEAMS, 51, ListStyle::List);
        check(Place::channel("msteams"), 3, ListStyle::HeroCard);
    }

    #[test]
    fn a_title_that_no_button_shows_makes_a_list() {
        let web = Place::channel("webchat");
        let twenty = "é".repeat(20);
        assert_eq!(web.style_for(&[Choice::new(&*twenty)]), ListStyle::SuggestedAction);
        assert_eq!(web.style_for(&[Choice::new(twenty + "!")]), ListStyle::List);
        let titled = Choice::new("a value of more than twenty characters")
            .with_action(super::super::CardAction::new("imBack", "short"));
        assert_eq!(web.style_for(&[titled]), ListStyle::SuggestedAction);
    }

    #[test]
    fn an_inbound_activity_tells_the_place() {
        let conversation_type = Some("personal".to_owned());
        let inbound = Activity {
            channel_id: Some("msteams".to_owned()),
            from: Some(Account::new("ann")),
            conversation: Some(ConversationAccount {
                conversation_type,
                ..ConversationAccount::new("c")
            }),
            ..Activity::message("hi")
        };
        assert_eq!(Place::of(&inbound), Place { user: Some("ann"), ..TEAMS });
        assert_eq!(Place::of(&Activity::typing()), Place::default());
    }
}
