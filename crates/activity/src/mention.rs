//! Mentions (`@name`): accounts named in the text, which the channel notifies.

use std::borrow::Cow;

use crate::{Account, Activity, Entity, Mention, Raw};

/// The most mentions of one account that are removed from a text: each costs a scan of all of it.
const REMOVED_MAX: usize = 16;

impl Activity {
    /// The mentions, in order.
    #[must_use]
    pub fn mentions(&self) -> Vec<Mention> {
        self.entities_of()
    }

    /// Mentions somebody by their name. The mention stands in the text where the text has
    /// `<at>Name</at>` already, else in front of it.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Account, Activity};
    ///
    /// let ann = Account::new("29:1").with_name("Ann");
    /// let message = Activity::message("your pizza is ready").with_mention(ann.clone());
    /// assert_eq!(message.text(), "<at>Ann</at> your pizza is ready");
    /// assert_eq!(message.mentions()[0].mentioned, Some(ann));
    /// ```
    #[must_use]
    pub fn with_mention(mut self, account: Account) -> Self {
        let name = account.name.as_deref().or(account.id.as_deref()).unwrap_or_default();
        let at = format!("<at>{}</at>", escaped(name));
        if !self.text().contains(&at) {
            self.text = Some(format!("{at} {}", self.text()).trim_end().to_owned());
        }
        let (kind, text) = (Some(Mention::TYPE.to_owned()), Some(at));
        let mention = Mention { kind, mentioned: Some(account), text, ..Mention::default() };
        self.with_entity(Raw::of(&mention).expect("strings and JSON text can be written as JSON"))
    }

    /// The text without the mentions of one account, as a bot in a group wants to read it.
    ///
    /// # Limits
    ///
    /// At most 16 entities that mention the account are looked at.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Activity;
    ///
    /// let said = Activity::from_json(
    ///     br#"{"type":"message","text":"<at>Pizza Bot</at> a large one","recipient":{"id":"28:b"},
    ///          "entities":[{"type":"mention","text":"<at>Pizza Bot</at>","mentioned":{"id":"28:b"}}]}"#,
    /// )?;
    /// assert_eq!(said.without_mention_of("28:b"), "a large one");
    /// # Ok::<(), sayso_activity::ParseError>(())
    /// ```
    #[must_use]
    pub fn without_mention_of(&self, id: &str) -> String {
        let mut text = Cow::Borrowed(self.text());
        let of_account = |mention: &Mention| {
            mention.mentioned.as_ref().is_some_and(|who| who.id.as_deref() == Some(id))
        };
        for mention in self.mentions().into_iter().filter(of_account).take(REMOVED_MAX) {
            let name = mention.mentioned.and_then(|who| who.name);
            // Some channels name the account, but not how it is spelt in the text.
            let at = mention.text.filter(|at| !at.is_empty());
            if let Some(at) = at.or_else(|| Some(format!("<at>{}</at>", escaped(&name?)))) {
                text = Cow::Owned(without(&text, &at));
            }
        }
        text.trim().to_owned()
    }
}

/// Escapes a name for marked-up text.
fn escaped(name: &str) -> Cow<'_, str> {
    match name.contains(['&', '<', '>']) {
        true => name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into(),
        false => name.into(),
    }
}

/// Removes every occurrence of a part from a text, whatever its case, and the gaps that this
/// leaves.
fn without(text: &str, part: &str) -> String {
    // Lower case in ASCII has the same length, so places in one text are places in the other.
    let (lower, part) = (text.to_ascii_lowercase(), part.to_ascii_lowercase());
    let mut left = String::with_capacity(text.len());
    let mut end = 0;
    let places = lower.match_indices(&part).map(|(at, part)| (at, at + part.len()));
    for (at, next) in places.chain([(text.len(), text.len())]) {
        let mut piece = text.get(end..at).unwrap_or_default();
        if left.is_empty() || left.ends_with(char::is_whitespace) {
            piece = piece.trim_start_matches(' ');
        }
        left.push_str(piece);
        end = next;
    }
    left
}

#[cfg(test)]
mod tests {
    use crate::{Account, Activity};

    fn check(text: &str, entities: &str, expected: &str) {
        let json = format!(
            r#"{{"type":"message","text":{},"entities":[{entities}]}}"#,
            serde_json::Value::from(text)
        );
        let activity = Activity::from_json(json.as_bytes()).unwrap();
        assert_eq!(activity.without_mention_of("b"), expected, "{text}");
    }

    #[test]
    fn the_text_of_a_mention_goes_and_leaves_no_gap() {
        let mention = r#"{"type":"mention","text":"<at>Bot</at>","mentioned":{"id":"b"}}"#;
        for (text, expected) in [
            ("<at>Bot</at> hi", "hi"),
            ("hi <at>Bot</at>", "hi"),
            ("hi <at>Bot</at> there", "hi there"),
            ("hi <AT>bot</AT>, there", "hi , there"),
            ("<at>Bot</at><at>Bot</at>hi", "hi"),
            ("<at>Bot</at>", ""),
            ("é<at>Bot</at>é", "éé"),
            ("no mention", "no mention"),
            ("<at>Bo", "<at>Bo"),
            ("two  spaces <at>Bot</at> stay", "two  spaces stay"),
            ("\u{130}<at>BOT</at>\u{130}", "\u{130}\u{130}"),
            ("", ""),
        ] {
            check(text, mention, expected);
        }
    }

    #[test]
    fn only_the_one_asked_for_goes() {
        let ann = r#"{"type":"mention","text":"<at>Ann</at>","mentioned":{"id":"a"}}"#;
        check("<at>Ann</at> hi", ann, "<at>Ann</at> hi");
        check("<at>Ann</at> hi", "", "<at>Ann</at> hi");
        for odd in [r#"{"type":"mention"}"#, r#"{"type":"mention","mentioned":{"id":"b"}}"#] {
            check("<at>Bot</at> hi", odd, "<at>Bot</at> hi");
        }
    }

    #[test]
    fn a_name_stands_in_for_a_missing_text() {
        for text in ["", r#""text":"","#, r#""text":null,"#] {
            let mention =
                format!(r#"{{"type":"mention",{text}"mentioned":{{"id":"b","name":"Tom & Co"}}}}"#);
            check("<at>Tom &amp; Co</at> hi", &mention, "hi");
        }
    }

    #[test]
    fn a_mention_stands_where_the_text_has_it_or_in_front() {
        let who = || Account::new("a").with_name("A <b>");
        let placed = Activity::message("Hello <at>A &lt;b&gt;</at>!").with_mention(who());
        assert_eq!(placed.text(), "Hello <at>A &lt;b&gt;</at>!");
        let front = Activity::message("").with_mention(who()).with_mention(Account::new("x"));
        assert_eq!(front.text(), "<at>x</at> <at>A &lt;b&gt;</at>");
        let mentions = front.mentions();
        assert_eq!(mentions.len(), 2);
        assert_eq!(mentions[0].text.as_deref(), Some("<at>A &lt;b&gt;</at>"));
        assert_eq!(front.without_mention_of("x"), "<at>A &lt;b&gt;</at>");
    }
}
