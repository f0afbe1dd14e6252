//! Reads, the line of a conversation, waiting for one's turn: from further sides.

mod line;
mod reads;
mod waiting;
