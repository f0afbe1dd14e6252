//! Dialogs on the turn engine.
//!
//! Two ways to write a conversation that waits for its user, for months if need be, on any instance:
//!
//! * **Classic**: [`WaterfallDialog`], [`ComponentDialog`] and prompts, as the Bot Framework has them, for
//!   people who port a bot. Their stack is kept as the SDKs keep it: a conversation begun on the C#,
//!   JavaScript or Python SDK goes on here. Start at [`Dialogs`].
//! * **Straight down**: an `async fn` that asks and says; see [`conversation`].
//!
//! Both are pure: they run on an activity and the old state, and give what to say and the new state
//! ([`DialogHost`]). The turn engine does the rest. What people mean by what they type is in [`recognize`];
//! how choices are shown and understood in [`choice`].

pub mod choice;
pub mod conversation;
pub mod oauth;
pub mod prompt;
pub mod recognize;

mod component;
mod context;
mod dialog;
mod error;
mod host;
mod set;
mod state;
mod waterfall;

pub use component::{ComponentDialog, Interruption};
pub use context::DialogContext;
pub use dialog::{Dialog, DialogTurn, Event, Reason, Status};
pub use error::{Error, Result};
pub use host::{Changed, DialogHost, Dialogs};
pub use prompt::{
    ActivityPrompt, AttachmentPrompt, Check, ChoicePrompt, ConfirmPrompt, DateTimePrompt, Late,
    NumberPrompt, Prompt, PromptDialog, PromptOptions, TextPrompt,
};
pub use set::DialogSet;
pub use state::{DialogState, Instance, Members, Shape};
pub use waterfall::{Go, Step, StepFn, StepResult, WaterfallDialog};
