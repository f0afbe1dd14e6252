//! The endpoint and the connector over real sockets on loopback.

#[cfg(test)]
mod auth;
#[cfg(test)]
mod bad_inputs;
#[cfg(test)]
mod client;
#[cfg(test)]
mod connector;
#[cfg(test)]
mod deliveries;
#[cfg(test)]
mod delivery_modes;
#[cfg(test)]
mod failures;
#[cfg(all(test, feature = "fuzzing"))]
mod fuzz;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod logs;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod mounting;
#[cfg(test)]
mod proactive;
#[cfg(test)]
mod senders;
#[cfg(test)]
mod skills;
#[cfg(test)]
mod status;
#[cfg(test)]
mod support;
mod tls;
