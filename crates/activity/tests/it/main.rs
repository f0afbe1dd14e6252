//! Round trips: whatever is read as an activity is written as the same JSON value.

#[cfg(test)]
mod cards;
#[cfg(all(test, feature = "fuzzing"))]
mod fuzz;
#[cfg(test)]
mod generated;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod samples;
#[cfg(test)]
#[path = "../../src/fuzz/tree.rs"]
mod tree;
