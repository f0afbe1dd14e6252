//! Limits of the engine.

/// The largest document that [`BlobStore`](super::BlobStore) takes, in bytes.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;
