//! What a bot needs, in one `use`.
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

pub use sayso_activity::{Activity, Attachment, Kind};
pub use sayso_dialog::conversation::{Conversation, choice, confirm, conversation, number, text};
pub use sayso_turn::{
    ActivityHandler, Bot, BotError, Key, Limits, MessageId, Middleware, Next, Overlap, TimerId,
    Turn,
};
pub use serde::{Deserialize, Serialize};

pub use crate::{BotState, Result, Server, States, states};
