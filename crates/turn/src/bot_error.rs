//! The error type of a bot's own code.

/// Error of a bot's logic: any error type. It fails the turn and is passed to `on_error`.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;
