//! Matching of the bot's replies against the script's expectations.

use sayso_activity::{Activity, Kind};

use super::{
    Line,
    mismatch::{Mark, difference},
    play::{Found, Player},
    step::{Check, Expectation, Scope},
};
use crate::{Bag, document::Response};

impl Player<'_> {
    pub(super) fn expect(&mut self, expectation: Expectation<'_>) -> Result<(), Found> {
        match expectation {
            Expectation::Nothing => self.silence(),
            Expectation::Failure => self.failure(),
            Expectation::Response(check) => self.response(check),
            Expectation::Kind(kind) => self.kind(&kind),
            Expectation::Text(text) => self.reply(
                &[("expected", text.clone())],
                |said| said.is_message() && said.text() == text,
                |said| difference(said.text(), &text),
            ),
            Expectation::AnyText(texts) => {
                let labels = std::iter::once("expected").chain(std::iter::repeat("or"));
                let wanted: Vec<_> = labels.zip(texts.iter().cloned()).collect();
                let is_one =
                    |said: &Activity| said.is_message() && texts.iter().any(|t| t == said.text());
                self.reply(&wanted, is_one, |_| wanted.clone())
            }
            Expectation::Containing(part) => {
                let wanted = [("to contain", part.clone())];
                let contains = |said: &Activity| said.is_message() && said.text().contains(&part);
                self.reply(&wanted, contains, |_| wanted.to_vec())
            }
            Expectation::Card(sort) => {
                let wanted = [("expected", format!("a card, {sort}"))];
                let is_card = |said: &Activity| {
                    let mut cards = said.attachments.iter().flatten();
                    cards.any(|card| card.content_type.as_deref() == Some(&*sort))
                };
                self.reply(&wanted, is_card, |_| wanted.to_vec())
            }
            Expectation::Activity(check) => self.activity(check),
        }
    }

    /// Returns the next line that matches, with its index.
    fn next(&self, is_next: impl Fn(&Line) -> bool) -> Option<(usize, &Line)> {
        self.stage.lines.iter().enumerate().skip(self.read).find(|(_, line)| is_next(line))
    }

    /// Consumes the next reply if it matches, or reports the difference.
    fn reply(
        &mut self,
        wanted: &[(&'static str, String)],
        is_it: impl Fn(&Activity) -> bool,
        differs: impl Fn(&Activity) -> Vec<(&'static str, String)>,
    ) -> Result<(), Found> {
        let (index, activity) = self.next_reply(wanted)?;
        if !is_it(activity) {
            let details = if activity.is_message() { differs(activity) } else { wanted.to_vec() };
            let what = "the bot says something other than the script expects";
            return Err(Found { details, ..Found::new(what, Mark::Line(index)) });
        }
        self.read = index + 1;
        Ok(())
    }

    fn next_reply(&self, wanted: &[(&'static str, String)]) -> Result<(usize, &Activity), Found> {
        let found = match self.next(Line::is_said) {
            Some((index, Line::Bot(activity))) => return Ok((index, activity)),
            Some((index, _)) => Found::new("the turn fails", Mark::Line(index)),
            None => {
                Found::new("the bot says nothing where the script expects a reply", Mark::Missing)
            }
        };
        Err(Found { details: wanted.to_vec(), ..found })
    }

    fn activity(&mut self, check: Check<'_, Activity>) -> Result<(), Found> {
        let (index, activity) = self.next_reply(&[("expected", "an activity".to_owned())])?;
        if let Err(finding) = check(activity) {
            let json = String::from_utf8_lossy(&activity.to_json()).into_owned();
            let details = vec![("check", finding), ("activity", json)];
            let what = "the check of the bot's activity fails";
            return Err(Found { details, ..Found::new(what, Mark::Line(index)) });
        }
        self.read = index + 1;
        Ok(())
    }

    fn kind(&mut self, kind: &Kind) -> Result<(), Found> {
        let is_kind = |line: &Line| matches!(line, Line::Bot(said) if said.kind == *kind);
        // An optional activity is matched at its place, whatever optional ones come before it.
        let next = self.next(|line| line.is_said() || is_kind(line));
        let details = vec![("expected", format!("[{kind}]"))];
        match next {
            Some((index, line)) if is_kind(line) => {
                self.read = index + 1;
                Ok(())
            }
            Some((index, _)) => {
                let what = "the bot says something other than the script expects";
                Err(Found { details, ..Found::new(what, Mark::Line(index)) })
            }
            None => {
                let what = "the bot says nothing where the script expects a reply";
                Err(Found { details, ..Found::new(what, Mark::Missing) })
            }
        }
    }

    fn failure(&mut self) -> Result<(), Found> {
        let next =
            self.next(Line::is_said).map(|(index, line)| (index, matches!(line, Line::Failed(_))));
        let details = vec![("expected", "the turn to fail".to_owned())];
        let mark = match next {
            Some((index, true)) => {
                self.read = index + 1;
                return Ok(());
            }
            Some((index, false)) => Mark::Line(index),
            None => Mark::End,
        };
        Err(Found { details, ..Found::new("the turn does not fail", mark) })
    }

    /// Checks that no reply is left.
    pub(super) fn silence(&self) -> Result<(), Found> {
        let Some((index, line)) = self.next(Line::is_said) else { return Ok(()) };
        let what = match line {
            Line::Failed(_) => "the turn fails",
            _ => "the bot says more than the script expects",
        };
        let details = vec![("expected", "(nothing)".to_owned())];
        Err(Found { details, ..Found::new(what, Mark::Line(index)) })
    }

    fn response(&self, check: Check<'_, Response>) -> Result<(), Found> {
        let Some(response) = &self.stage.response else {
            return Err(Found::new("the bot does not answer the invoke", Mark::End));
        };
        check(response).map_err(|finding| {
            let body = response.body.as_ref().map_or("", |body| body.as_str());
            let answer = format!("{} {body}", response.status);
            let details = vec![("check", finding), ("answer", answer)];
            Found { details, ..Found::new("the check of the bot's answer fails", Mark::End) }
        })
    }

    pub(super) fn state(&self, scope: Scope, check: Check<'_, Bag>) -> Result<(), Found> {
        let bag = self.stage.bag(scope);
        let (what, label) = match scope {
            Scope::Conversation => ("the check of the conversation's state fails", "state"),
            Scope::User => ("the check of the user's state fails", "user state"),
        };
        check(&bag).map_err(|finding| {
            let details = vec![("check", finding), (label, bag.to_json())];
            Found { details, ..Found::new(what, Mark::End) }
        })
    }
}
