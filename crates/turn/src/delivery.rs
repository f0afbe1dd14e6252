//! Delivery: couriers (outbox relays) deliver a conversation's outbox to its channel and record
//! acknowledgements.

mod acks;
mod courier;
mod hand_over;

pub(crate) use self::courier::courier;
