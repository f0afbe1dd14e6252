//! Delivery: couriers hand the outbox of a conversation over to its channel, and record that they
//! did.

mod acks;
mod courier;
mod hand_over;

pub(crate) use self::courier::courier;
