//! Registration of handlers by a regular expression on the text of a message.

use std::sync::Arc;

use regex_lite::Regex;

use super::{Bot, trigger::Trigger};
use crate::{HandlerFuture, Turn};

impl Bot {
    /// Handles messages whose text matches a regular expression, in linear time: the handler gets
    /// what its groups have matched. Add it before [`on_message`](Self::on_message). `(?i)` at its
    /// beginning ignores case.
    ///
    /// A pattern that is none is a mistake with which the bot is not started.
    ///
    /// # Example
    /// ```
    /// use sayso_turn::{Bot, TextMatch, Turn};
    ///
    /// let bot = Bot::new().on_match(
    ///     r"(?i)^(\d+) pizzas? with (?<topping>\w+)",
    ///     async |mut turn: Turn, found: TextMatch| {
    ///         let count: u32 = found.get(1).parse()?;
    ///         turn.say(format!("{count} of {}.", found.name("topping")));
    ///         Ok(())
    ///     },
    /// );
    /// # drop(bot);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn on_match<F, Fut>(mut self, pattern: &str, handler: F) -> Self
    where
        F: Fn(Turn, TextMatch) -> Fut + Send + Sync + 'static,
        Fut: HandlerFuture + Send + 'static,
    {
        match Regex::new(pattern) {
            Ok(pattern) => {
                let pattern = Arc::new(pattern);
                self.add(Trigger::Pattern(Arc::clone(&pattern)), move |turn| {
                    let found = TextMatch::of(&pattern, turn.text());
                    handler(turn, found)
                })
            }
            Err(error) => {
                let place = std::panic::Location::caller();
                let mistake = format!("the pattern `{pattern}` at {place} cannot be used: {error}");
                Arc::make_mut(&mut self.handlers).push_mistake(mistake);
                self
            }
        }
    }
}

/// Groups of a regular expression that matched a text. See [`Bot::on_match`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMatch {
    groups: Vec<(Option<String>, String)>,
}

impl TextMatch {
    fn of(pattern: &Regex, text: &str) -> Self {
        let Some(found) = pattern.captures(text) else { return Self::default() };
        let groups = pattern.capture_names().zip(found.iter());
        let groups = groups.map(|(name, group)| {
            (name.map(str::to_owned), group.map_or_else(String::new, |group| group.as_str().into()))
        });
        Self { groups: groups.collect() }
    }

    /// Returns a group by its number, from 1; 0 is all that matched. Empty if it took no part.
    #[must_use]
    pub fn get(&self, number: usize) -> &str {
        self.groups.get(number).map_or("", |(_, text)| text)
    }

    /// Returns a group by its name. Empty if it took no part.
    #[must_use]
    pub fn name(&self, name: &str) -> &str {
        let mut groups = self.groups.iter();
        groups.find(|(of, _)| of.as_deref() == Some(name)).map_or("", |(_, text)| text)
    }
}
