//! Tests of the recognisers, as a user of the crate sees them.

#[cfg(test)]
mod scores;
