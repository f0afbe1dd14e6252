//! The simulator, on a few thousand seeds; `scripts/test sim` plays many more.

#![expect(clippy::print_stdout, reason = "figures that a reader of the output wants to see")]

#[cfg(test)]
mod authors;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod determinism;
#[cfg(test)]
mod seeds;
