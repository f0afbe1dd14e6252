//! Idempotency record of a conversation that is being created: the claim, and the result.

use std::{sync::Arc, time::Duration};

use sayso_turn::{
    BotError, Engine, Error, Turn,
    activity::{ConversationAccount, Reference},
    clock::Timestamp,
};
use serde::{Deserialize, Serialize};

/// Lease of the call that creates the conversation: longer than any call of a channel takes.
const CLAIM: Duration = Duration::from_secs(60);
/// The property that holds the record.
const NAME: &str = "begin";

/// Access to the record of one id, for one call of [`Client::begin`](crate::client::Client).
#[derive(Debug)]
pub(super) struct Record<'a> {
    engine: &'a Engine,
    reference: Reference,
    /// Identifies the call.
    call: String,
}

/// A conversation that the channel created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Made {
    pub(super) conversation: String,
    pub(super) service_url: String,
}

/// Result of an attempt to claim the record.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Claimed {
    /// The conversation exists.
    Made { made: Made, doubts: u32 },
    /// This call holds the claim and creates the conversation.
    Ours { doubts: u32 },
    /// Another call holds the claim.
    Others,
}

/// The stored record.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Creation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made: Option<Made>,
    /// The call that holds the claim, and since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claim: Option<(String, Timestamp)>,
    /// Number of calls that ended without a known result.
    #[serde(default)]
    doubts: u32,
}

impl Creation {
    fn claim(&mut self, call: &str, now: Timestamp) -> Claimed {
        if let Some(made) = self.made.clone() {
            return Claimed::Made { made, doubts: self.doubts };
        }
        if let Some((_, since)) = &self.claim {
            if now.since(*since) < CLAIM {
                return Claimed::Others;
            }
            // The previous holder may have been cut off after the channel created it.
            self.doubts += 1;
        }
        self.claim = Some((call.to_owned(), now));
        Claimed::Ours { doubts: self.doubts }
    }

    /// Records a result. The first one counts, for all calls.
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
        self.turn("claim", move |creation, now| creation.claim(&call, now)).await
    }

    /// Records what this call created, and returns the result that counts.
    pub(super) async fn keep(&self, made: Made) -> Result<Made, Error> {
        self.turn("keep", move |creation, _| creation.keep(made.clone())).await
    }

    /// Releases the claim, so that other calls can try.
    pub(super) async fn give_up(&self, is_doubtful: bool) -> Result<(), Error> {
        let call = self.call.clone();
        self.turn("give-up", move |creation, _| creation.give_up(&call, is_doubtful)).await
    }

    /// Applies a change to the stored record in a turn, and returns the change's result.
    async fn turn<T, F>(&self, step: &str, change: F) -> Result<T, Error>
    where
        T: Serialize + for<'de> Deserialize<'de> + 'static,
        F: Fn(&mut Creation, Timestamp) -> T + Send + Sync + 'static,
    {
        let change = Arc::new(change);
        let handler = move |mut turn: Turn| {
            let change = Arc::clone(&change);
            async move {
                let now = turn.now();
                let said = change(turn.state().named::<Creation>(NAME)?, now);
                turn.respond(200, &said)?;
                Ok::<_, BotError>(())
            }
        };
        let id = format!("{step}.{}", self.call);
        let answer = Box::pin(self.engine.resume(&self.reference, &id, handler)).await?;
        let body = answer.response.and_then(|response| response.body);
        body.and_then(|body| body.get().ok()).ok_or_else(|| {
            // The answer was lost and is no longer recorded (`answers_max`): the claim expires.
            let reason = "the answer of the new conversation's record was lost".to_owned();
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
        let mut creation = Creation::default();
        assert_eq!(creation.claim("a", at(0)), Claimed::Ours { doubts: 0 });
        assert_eq!(creation.claim("b", at(59)), Claimed::Others);
        assert_eq!(creation.claim("b", at(60)), Claimed::Ours { doubts: 1 });
        assert_eq!(creation.claim("a", at(61)), Claimed::Others);
        // The slow one comes back first: its result counts, for both.
        assert_eq!(creation.keep(made("of a")), made("of a"));
        assert_eq!(creation.keep(made("of b")), made("of a"));
        assert_eq!(creation.claim("c", at(900)), Claimed::Made { made: made("of a"), doubts: 1 });
    }

    #[test]
    fn a_call_that_gives_up_lets_others_try_at_once_and_says_whether_there_is_doubt() {
        let mut creation = Creation::default();
        for (doubt, doubts) in [(false, 0), (true, 1), (false, 1)] {
            creation.claim("a", at(0));
            creation.give_up("b", true);
            assert_eq!(creation.claim("b", at(1)), Claimed::Others, "it was not b's to give up");
            creation.give_up("a", doubt);
            assert_eq!(creation.doubts, doubts);
        }
        assert_eq!(creation.claim("b", at(1)), Claimed::Ours { doubts: 1 });
    }
}
