//! The stored form of a conversation: properties, and the runtime's ledger beside them.
//!
//! Hidden from the documentation and not covered by semver: the stored *format* is stable, these
//! types are not. They are public for the simulator, the `sayso` command, the channel and tests of
//! other crates. What bots need is at the root of the crate: [`Bag`](crate::Bag),
//! [`DocumentTtl`](crate::DocumentTtl), [`Parked`](crate::Parked),
//! [`ParkedKind`](crate::ParkedKind), [`Response`](crate::Response).

pub use crate::ledger::{
    Accepted, Bag, Claim, Decided, Document, DocumentTtl, Entry, Ledger, Lifetime, OutboxRest,
    Parked, ParkedKind, Participants, Prepared, RESERVED, Recorded, Response, Seen, StepResult,
    Timer, TurnSteps,
};
