//! Dialogs, prompts and multi-turn conversations on the turn engine.
//!
//! Three ways to write a conversation that waits for its user, for months if need be, on any
//! instance:
//!
//! * **Classic**: [`WaterfallDialog`], [`ComponentDialog`] and prompts, as the Bot Framework has
//!   them, for people who port a bot. Their stack is kept as the SDKs keep it: a conversation begun
//!   on the C#, JavaScript or Python SDK goes on here. Start at [`Dialogs`].
//! * **Straight down**: an `async fn` that asks and says; see [`conversation`].
//! * **Enum state**: the states of a conversation as an enum, with a handler for each; see
//!   [`States`].
//!
//! All are pure: they run on an activity and the old state, and give what to say and the new state
//! ([`DialogHost`]). The turn engine does the rest. What people mean by what they type is in
//! [`recognize`]; how choices are shown and understood in [`choice`].

pub mod choice;
pub mod conversation;
pub mod oauth;
pub mod prompt;
pub mod states;

mod begin;
mod changed;
mod component;
mod dialog;
mod error;
mod host;
mod json;
mod skill;
mod state;
mod sync;
mod waterfall;

pub use begin::NotBegun;
pub use changed::Changed;
pub use component::{ComponentDialog, EventHandler, Interruption};
pub use dialog::{Dialog, DialogContext, DialogSet, DialogTurn, Event, Reason, Status};
pub use error::{Error, Result};
pub use host::{DialogHost, Dialogs};
pub use prompt::{
    ActivityPrompt, AttachmentPrompt, Check, ChoicePrompt, ConfirmPrompt, DateTimePrompt, Late,
    NumberPrompt, Prompt, PromptDialog, PromptOptions, TextPrompt,
};
pub use sayso_macros::States;
pub use sayso_recognize as recognize;
pub use state::{DialogState, Instance, Members, Shape};
pub use states::{States, states};
pub use waterfall::{Go, Step, StepFn, StepFuture, StepResult, WaterfallDialog};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
