//! The engines of this crate under the conformance suite, and what is special to each.

#[cfg(test)]
mod doubles;
#[cfg(test)]
mod files;
#[cfg(test)]
mod group_commit;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod sqlite;
