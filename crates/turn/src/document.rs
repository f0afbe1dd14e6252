//! The stored form of a conversation: properties, and the runtime's ledger beside them.

pub use crate::ledger::{
    Accepted, Bag, Claim, Decided, Document, Entry, Held, Ledger, Parked, ParkedKind, Prepared,
    RESERVED, Recorded, Response, Seen, Timer,
};
