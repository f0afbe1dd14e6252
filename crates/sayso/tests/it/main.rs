//! The command as people run it: real processes, real sockets, real files.
//!
//! Every process is ended by its id, every wait has an end, and every port is one that was free.

#[cfg(test)]
mod chaos;
#[cfg(test)]
mod chat;
#[cfg(test)]
mod engines;
// The fault points are compiled in with the feature `faults` only; the test command has it on.
#[cfg(test)]
#[cfg(feature = "faults")]
mod faults;
#[cfg(test)]
mod long;
#[cfg(test)]
mod process;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod race;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod refusals;
#[cfg(test)]
mod server;
#[cfg(test)]
mod shutdown;
#[cfg(test)]
mod sink;
#[cfg(test)]
mod state;
