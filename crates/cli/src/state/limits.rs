//! Limits of the subcommands: concurrency and attempts.

/// Maximum number of documents processed concurrently.
pub(super) const IN_FLIGHT: usize = 32;

/// Maximum attempts at a change that conflicts with other writers.
pub(super) const ROUNDS_MAX: usize = 16;

/// Page size of a look through the index of due documents.
pub(super) const PAGE: usize = 500;
