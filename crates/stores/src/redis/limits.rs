//! Limits of the engine.

/// The largest document that [`RedisStore`](super::RedisStore) takes, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// The largest number of documents in a transaction.
pub(super) const TRANSACTION_MAX: usize = 1000;
