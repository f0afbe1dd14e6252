//! Prompts: rendering of a question, and recognition of its answer.
//!
//! A [`Prompt`] is pure: it makes the question and reads the answer. Two things stand on it: the
//! classic prompts ([`PromptDialog`] and its names, such as [`NumberPrompt`]), which are dialogs on
//! a stack, and the questions of straight-line conversations.

mod choice;
mod confirm;
mod date;
mod dialog;
mod inbound;
mod kind;
mod number;
mod options;
mod validate;
mod verbatim;

pub use choice::Choose;
pub use confirm::Confirm;
pub use date::Date;
pub use dialog::{DEADLINE, PromptDialog};
pub use inbound::Inbound;
pub use kind::Prompt;
pub use number::{Count, FromNumber};
pub use options::{Deadline, Late, PromptOptions};
pub use validate::{Check, Validator};
pub use verbatim::{Any, Attach, Text};

/// Asks for a text.
pub type TextPrompt = PromptDialog<Text>;
/// Asks for a number: of any type, `f64` unless another is named; whole types take no fractions.
pub type NumberPrompt<T = f64> = PromptDialog<Count<T>>;
/// Asks for yes or no.
pub type ConfirmPrompt = PromptDialog<Confirm>;
/// Asks for one of several things.
pub type ChoicePrompt = PromptDialog<Choose>;
/// Asks for a date or a time.
pub type DateTimePrompt = PromptDialog<Date>;
/// Asks for files.
pub type AttachmentPrompt = PromptDialog<Attach>;
/// Asks for an activity of any kind, which a validator recognises.
pub type ActivityPrompt = PromptDialog<Any>;
