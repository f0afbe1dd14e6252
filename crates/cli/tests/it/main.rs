//! End-to-end tests of the command: real processes, real sockets, real files.
//!
//! Every process is ended by its id, every wait has an end, and every port is one that was free.

#[cfg(test)]
mod canary;
#[cfg(unix)]
#[cfg(test)]
#[path = "../../../sayso/tests/it/certificates.rs"]
mod certificates;
#[cfg(test)]
mod chaos;
#[cfg(test)]
mod chat;
#[cfg(test)]
#[path = "../../../sayso/tests/it/client.rs"]
mod client;
#[cfg(test)]
mod configuration;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod engines;
// It reads what the server takes of the machine where Linux says so.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod exhaustion;
// The fault points are compiled in with the feature `faults` only; the test command has it on.
#[cfg(test)]
#[cfg(feature = "faults")]
mod faults;
#[cfg(test)]
mod login;
#[cfg(test)]
mod new;
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
#[path = "../../../sayso/tests/it/sink.rs"]
mod sink;
#[cfg(test)]
mod state;
