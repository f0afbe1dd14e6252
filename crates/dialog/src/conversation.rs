//! Straight-line conversations: an `async fn` that asks, and is resumed when the answer comes.
//!
//! ```
//! use sayso_dialog::conversation::{Conversation, Result, choice, confirm, conversation, text};
//! use sayso_turn::{Turn, script::chat};
//!
//! struct Order { size: String, toppings: String }
//!
//! async fn order(c: Conversation) -> Result<Option<Order>> {
//!     let size = c.ask(choice("What size?", ["small", "large"])).await?;
//!     let toppings = c.ask(text("Which toppings?").retry("Name at least one, please.")).await?;
//!     if !c.ask(confirm(format!("A {size} pizza with {toppings}?"))).await? {
//!         c.say("Okay, order cancelled.");
//!         return Ok(None);
//!     }
//!     Ok(Some(Order { size, toppings }))
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let bot = conversation("order", order)
//!     .cancel_words(["cancel", "stop"])
//!     .help("I bake pizzas.")
//!     .on_done(async |mut turn: Turn, order| {
//!         if let Some(Order { size, toppings }) = order {
//!             turn.say(format!("Your {size} pizza with {toppings} is in the oven."));
//!         }
//!         Ok(())
//!     })
//!     .bot();
//!
//! chat(bot)
//!     .user("hi")
//!     .expects("What size? (1) small or (2) large")
//!     .user("the second one")
//!     .expects("Which toppings?")
//!     .user("help")
//!     .expects("I bake pizzas.")
//!     .expects("Which toppings?")
//!     .user("ham")
//!     .expects("A large pizza with ham? (1) Yes or (2) No")
//!     .user("yes, please")
//!     .expects("Your large pizza with ham is in the oven.")
//!     .await;
//! # }
//! ```
//!
//! # How it works
//! At an `ask` that has no answer yet the turn ends and the function is dropped. What it has done
//! so far is in a *journal*, in the conversation's state, saved together with the question that was
//! sent. When the answer comes, a second or a month later, on this instance or another, the
//! function is run again from its top: every step that the journal knows is answered from it at
//! once, in silence, until the code is where it was. Then the answer is understood and the code
//! goes on.
//!
//! So a function must do the same again when its steps give the same: what it does between them
//! must not hang on the time, chance, or anything outside. Steps for these are
//! [`now`](Conversation::now), [`random`](Conversation::random), [`state`](Conversation::state),
//! [`once`](Conversation::once) and, where a crash must not repeat it,
//! [`step`](Conversation::step). If it does something else, because it was deployed anew, the first
//! difference is named and the policy of [`Flow::on_change`] applies. A step that is only added
//! behind the current one is no difference.
//!
//! # Limits
//! [`Limits`] bounds the journal. A long loop uses [`keep`](Conversation::keep), a part that ends
//! uses [`call`](Conversation::call). In a group, anybody's message is an answer.

mod ask;
mod ask_step;
mod bot;
mod composite_steps;
mod driver;
mod durable_step;
mod error;
mod flow;
mod handle;
mod journal;
mod label;
mod limits;
mod question;
mod questions;
mod replay;
mod run;
mod settings;
mod several;
mod simple_steps;
mod sleep_step;
mod step;
mod words;

pub use ask::{Ask, Late};
pub use durable_step::DurableStep;
pub use error::{Difference, Error};
pub use flow::{ConversationFuture, Flow, conversation};
pub use handle::Conversation;
pub use limits::Limits;
pub use question::{Question, QuestionContext};
pub use questions::{
    Offer, OneOf, Prompted, Text, activity, attachment, choice, confirm, date, number, prompt, text,
};
pub use several::{Conversations, conversations};
pub use words::IntoWords;

pub use crate::prompt::DEADLINE;

/// The result of a conversation's function: a value, or any error of its own.
pub type Result<T, E = sayso_turn::BotError> = std::result::Result<T, E>;
