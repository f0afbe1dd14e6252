//! The error type of a bot's own code.

/// The error of a bot's logic: anything. It fails the turn and goes to `on_error`.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;
