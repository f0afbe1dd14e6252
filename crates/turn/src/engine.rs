//! The engine: mailboxes, and the runners that bring what waits in them to a commit.
//!
//! One instance of it runs in every process of a deployment. Instances know nothing of each other;
//! what they share is the store, and the conditional write is all that keeps them right. Mailboxes,
//! the cache and claims only save work. What a commit causes is performed after it ([`actions`]);
//! couriers are started through a function that the core is given, so nothing here knows how
//! replies are delivered.

mod ack_queue;
mod actions;
mod alarms;
mod answer;
mod batch;
mod cache;
mod core;
mod deadline;
mod dispatch;
mod documents;
mod item;
mod listened;
mod long_run;
mod long_turns;
mod mailbox;
mod pauses;
mod persist;
mod reading;
mod receipts;
mod refusals;
mod round;
mod runner;
mod shunned;
mod suspension;
mod turns;
mod two_phase;

pub use self::answer::Answer;
pub(crate) use self::{
    ack_queue::NextAck,
    core::{Core, Phase, Seams, Task},
    item::{Cause, Item, Listener, Operation, OperationKind, Receiver},
    mailbox::{Hold, Mailbox, MailboxState, Moment},
};
