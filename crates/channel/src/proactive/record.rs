//! What is known of a conversation that is being made: who makes it, and what it became.

use std::{sync::Arc, time::Duration};

use sayso_turn::{
    BotError, Engine, Error, Turn,
    activity::{ConversationAccount, Reference},
    clock::Timestamp,
};
use serde::{Deserialize, Serialize};

/// For how long a call may be at it before others try: longer than any call of a channel takes.
const CLAIM: Duration = Duration::from_secs(60);
/// The property under which it is kept.
const NAME: &str = "begin";

/// The record of one id, as one call sees it.
#[derive(Debug)]
pub(super) struct Record<'a> {
    engine: &'a Engine,
    reference: Reference,
    /// Names the call.
    call: String,
}

/// A conversation that the channel made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    pub(super) conversation: String,
    pub(super) service_url: String,
}

/// What a call finds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Claimed {
    /// It is made.
    Made { made: Made, doubts: u32 },
    /// Nobody makes it but this call.
    Ours { doubts: u32 },
    /// Somebody else is at it.
    Others,
}

/// What is stored.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Opening {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<Made>,
    /// Which call is at it, and since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claim: Option<(String, Timestamp)>,
    /// How many calls ended without a word of what they made.
    #[serde(default)]
    doubts: u32,
}

impl Opening {
    fn claim(&mut self, call: &str, now: Timestamp) -> Claimed {
        if let Some(made) = self.made.clone() {
            return Claimed::Made { made, doubts: self.doubts };
        }
        if let Some((_, since)) = &self.claim {
            if now.since(*since) < CLAIM {
                return Claimed::Others;
            }
            // Whoever was at it may have been cut off after the channel made it.
            self.doubts += 1;
        }
        self.claim = Some((call.to_owned(), now));
        Claimed::Ours { doubts: self.doubts }
    }

    /// The first one that is recorded counts, for all calls.
    fn keep(&mut self, made: Made) -> Made {
        self.claim = None;
        self.made.get_or_insert(made).clone()
    }

    fn give_up(&mut self, call: &str, is_doubtful: bool) {
        if self.claim.take_if(|(by, _)| by == call).is_some() {
            self.doubts += u32::from(is_doubtful);
        }
    }
}

impl<'a> Record<'a> {
    pub(super) fn new(engine: &'a Engine, channel_id: &str, id: &str, call: String) -> Self {
        let reference = Reference {
            channel_id: Some(channel_id.to_owned()),
            conversation: Some(ConversationAccount::new(format!("sayso:begin:{id}"))),
            ..Reference::default()
        };
        Self { engine, reference, call }
    }

    pub(super) async fn claim(&self) -> Result<Claimed, Error> {
        let call = self.call.clone();
        self.turn("claim", move |opening, now| opening.claim(&call, now)).await
    }

    /// Records what this call made; gives what counts.
    pub(super) async fn keep(&self, made: Made) -> Result<Made, Error> {
        self.turn("keep", move |opening, _| opening.keep(made.clone())).await
    }

    /// Lets others try.
    pub(super) async fn give_up(&self, is_doubtful: bool) -> Result<(), Error> {
        let call = self.call.clone();
        self.turn("give-up", move |opening, _| opening.give_up(&call, is_doubtful)).await
    }

    /// Changes what is stored, and gives what the change says of it.
    async fn turn<T, F>(&self, step: &str, change: F) -> Result<T, Error>
    where
        T: Serialize + for<'de> Deserialize<'de> + 'static,
        F: Fn(&mut Opening, Timestamp) -> T + Send + Sync + 'static,
    {
        let change = Arc::new(change);
        let handler = move |mut turn: Turn| {
            let change = Arc::clone(&change);
            async move {
                let now = turn.now();
                let said = change(turn.state().named::<Opening>(NAME)?, now);
                turn.respond(200, &said)?;
                Ok::<_, BotError>(())
            }
        };
        let id = format!("{step}.{}", self.call);
        let answer = Box::pin(self.engine.resume(&self.reference, &id, handler)).await?;
        let body = answer.response.and_then(|response| response.body);
        body.and_then(|body| body.get().ok()).ok_or_else(|| {
            // Its answer was lost and is not kept (`answers_max`): the claim lapses.
            let reason = "the record of a new conversation has no answer".to_owned();
            Error::Busy { rounds: 0, waited: Duration::ZERO, reason }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(conversation: &str) -> Made {
        Made { conversation: conversation.to_owned(), service_url: "http://localhost/".to_owned() }
    }

    fn at(seconds: u64) -> Timestamp {
        Timestamp::START.after(Duration::from_secs(seconds))
    }

    #[test]
    fn one_call_makes_it_and_others_wait_for_a_minute() {
        let mut opening = Opening::default();
        assert_eq!(opening.claim("a", at(0)), Claimed::Ours { doubts: 0 });
        assert_eq!(opening.claim("b", at(59)), Claimed::Others);
        assert_eq!(opening.claim("b", at(60)), Claimed::Ours { doubts: 1 });
        assert_eq!(opening.claim("a", at(61)), Claimed::Others);
        // The slow one comes back first: what it made counts, for both.
        assert_eq!(opening.keep(made("of a")), made("of a"));
        assert_eq!(opening.keep(made("of b")), made("of a"));
        assert_eq!(opening.claim("c", at(900)), Claimed::Made { made: made("of a"), doubts: 1 });
    }

    #[test]
    fn a_call_that_gives_up_lets_others_try_at_once_and_says_whether_there_is_doubt() {
        let mut opening = Opening::default();
        for (doubt, doubts) in [(false, 0), (true, 1), (false, 1)] {
            opening.claim("a", at(0));
            opening.give_up("b", true);
            assert_eq!(opening.claim("b", at(1)), Claimed::Others, "it was not b's to give up");
            opening.give_up("a", doubt);
            assert_eq!(opening.doubts, doubts);
        }
        assert_eq!(opening.claim("b", at(1)), Claimed::Ours { doubts: 1 });
    }
}
