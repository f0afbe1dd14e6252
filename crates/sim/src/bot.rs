//! The bot whose history is exact: every turn appends its activity's id to the state, so one read at the
//! end is the order of everything.

use std::{sync::Arc, time::Duration};

use sayso_activity::{Activity, Kind};
use sayso_turn::{Bot, BotError, Failure, MessageId, Turn};
use serde::{Deserialize, Serialize};

use crate::executor::Executor;

/// A state with this property counts as larger than the store takes.
pub(crate) const OVERSIZED: &str = "oversized";

/// What an activity asks the bot to do, beside appending itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Wish {
    /// How many replies.
    pub(crate) replies: usize,
    /// Panic instead.
    pub(crate) panic: bool,
    /// Grow the state beyond what the store takes.
    #[serde(default)]
    pub(crate) oversized: bool,
    /// Ask for an event after so many milliseconds.
    pub(crate) timer_ms: Option<u64>,
    /// Append to the user's document too.
    pub(crate) user: bool,
    /// Take so many milliseconds.
    #[serde(default)]
    pub(crate) slow_ms: Option<u64>,
    /// Change the message that was kept, and keep the first reply for others to change.
    #[serde(default)]
    pub(crate) change: bool,
    /// Delete it instead.
    #[serde(default)]
    pub(crate) delete: bool,
}

impl Wish {
    /// Whether the turn must leave the state as it is.
    pub(crate) fn is_refused(&self) -> bool {
        self.panic || self.oversized
    }
}

/// The bot.
pub(crate) fn bot(executor: &Executor) -> Bot {
    let append = || {
        let executor = executor.clone();
        move |turn| append(turn, executor.clone())
    };
    Bot::new()
        .on_message(append())
        .on_invoke("append", append())
        .on_event("append", append())
        .on_event("timer", append())
        .on_error(sorry)
}

async fn append(mut turn: Turn, executor: Executor) -> Result<(), BotError> {
    let wish: Wish = match &turn.activity().value {
        Some(value) => value.get()?,
        None => Wish::default(),
    };
    if let Some(wait) = wish.slow_ms {
        executor.sleep(Duration::from_millis(wait)).await;
    }
    if wish.panic {
        // A panic without the hook: nobody wants to read a million backtraces.
        std::panic::resume_unwind(Box::new("the bot was asked to panic"));
    }
    if wish.oversized {
        *turn.state().named::<bool>(OVERSIZED)? = true;
    }
    let id = turn.activity().id.clone().unwrap_or_default();
    let log = turn.state().named::<Vec<String>>("log")?;
    log.push(id.clone());
    let place = log.len() - 1;
    if wish.user {
        turn.user_state().await?.named::<Vec<String>>("log")?.push(id.clone());
    }
    let said: Vec<MessageId> =
        (0..wish.replies).map(|index| turn.say(format!("{id}/{place}/{index}"))).collect();
    if wish.change {
        let kept = turn.state().named::<Option<MessageId>>("message")?.clone();
        if let (Some(message), true) = (&kept, wish.delete) {
            turn.delete(message);
        } else if let Some(message) = kept {
            turn.update(&message, Activity::message(format!("{id}/{place}/change")));
        }
        // What goes into the answer has no name at the channel.
        if let (Some(first), None) = (said.into_iter().next(), &turn.activity().delivery_mode) {
            *turn.state().named("message")? = Some(first);
        }
    }
    if let Some(wait) = wish.timer_ms {
        let event = Activity::event("timer").with_value(&Wish { replies: 1, ..Wish::default() })?;
        let timer = turn.after(Duration::from_millis(wait), event);
        turn.state().named::<Vec<String>>("timers")?.push(timer.as_str().to_owned());
    }
    if turn.activity().kind == Kind::Invoke {
        turn.respond(200, &place)?;
    }
    Ok(())
}

async fn sorry(mut turn: Turn, _failure: Arc<Failure>) -> Result<(), BotError> {
    let id = turn.activity().id.clone().unwrap_or_default();
    turn.say(format!("{id}/sorry/0"));
    Ok(())
}
