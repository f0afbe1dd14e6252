//! The prelude: everything on the first page of a bot, in one `use`.
//!
//! Generic names stay out, so that they cannot clash with a bot's own: import
//! `sayso::activity::Kind` and `sayso::turn::Next` by name.
//!
//! ```
//! use sayso::prelude::*;
//!
//! let bot = Bot::new().on_message(async |mut turn: Turn| {
//!     let line = format!("Echo: {}", turn.text());
//!     turn.say(line);
//!     Ok(())
//! });
//! # drop(bot);
//! ```

pub use sayso_activity::{Activity, Attachment};
pub use sayso_dialog::conversation::{
    Conversation, attachment, choice, confirm, conversation, date, number, text,
};
pub use sayso_turn::{
    ActivityHandler, Bot, BotError, Failure, Key, Limits, MessageId, Middleware, Overlap, TimerId,
    Ttl, Turn,
};
pub use serde::{Deserialize, Serialize};

pub use crate::{BotState, Config, Result, Server, States, serve, states};
