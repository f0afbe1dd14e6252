//! Reads, the line of a conversation, and waiting for one's turn, in every sort of turn.

mod line;
mod reads;
mod waiting;
