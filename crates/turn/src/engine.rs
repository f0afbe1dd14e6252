//! The engine: mailboxes (per-conversation queues) and the runners that commit the turns waiting in
//! them.
//!
//! One instance runs in every process of a deployment. Instances do not talk to each other; they
//! share the store, and correctness rests on its conditional write alone. Mailboxes, the cache and
//! claims only save work. The consequences of a commit are performed after it ([`actions`]);
//! couriers are started through a function that the core is given, so nothing here depends on how
//! replies are delivered.

mod ack_queue;
mod actions;
mod alarms;
mod answer;
mod batch;
mod cache;
mod core;
mod deadline;
mod deferred;
mod dispatch;
mod document_io;
mod documents;
mod item;
mod live_source;
mod long_run;
mod long_turns;
mod mailbox;
mod paused_channels;
mod persist;
mod receipts;
mod refusals;
mod round;
mod runner;
mod suspension;
mod turns;
mod two_phase;

pub use self::answer::Answer;
pub(crate) use self::{
    ack_queue::NextAck,
    alarms::RestEnd,
    core::{Core, Phase, Seams, Task},
    item::{Cause, Item, Listener, Operation, OperationKind, Receiver},
    mailbox::{Hold, Mailbox, MailboxState, Moment},
};
