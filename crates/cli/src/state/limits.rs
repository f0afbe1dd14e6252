//! Limits of the subcommands: concurrency and attempts.

/// Maximum number of documents processed concurrently.
pub(super) const IN_FLIGHT: usize = 32;

/// Maximum attempts at a change that conflicts with other writers.
pub(super) const ROUNDS_MAX: usize = 16;
