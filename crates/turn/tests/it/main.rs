//! The promises, each as a test that fails when it is broken, on the production engine.

#![expect(clippy::disallowed_methods, reason = "tests are outside the engine: they may spawn")]
#![expect(clippy::print_stdout, reason = "figures that a reader of the test's output wants to see")]

#[cfg(test)]
mod claims;
#[cfg(test)]
mod courier;
#[cfg(test)]
mod deployments;
#[cfg(test)]
mod durable_steps;
#[cfg(test)]
mod failures;
#[cfg(all(test, feature = "fuzzing"))]
mod fuzz;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod handlers;
#[cfg(test)]
mod long_turns;
#[cfg(test)]
mod looks;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod participants;
#[cfg(test)]
mod proactive;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod retention;
#[cfg(test)]
mod script;
#[cfg(test)]
mod steps;
#[cfg(test)]
mod store_faults;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod stress;
#[cfg(test)]
mod tenancy;
#[cfg(test)]
mod timers;
#[cfg(test)]
mod turns;
#[cfg(test)]
mod versioned;
#[cfg(test)]
mod world;
