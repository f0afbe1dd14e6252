//! The engines of this crate under the conformance suite, and what is special to each.

#[cfg(all(test, feature = "azure-blob"))]
mod blob;
#[cfg(all(test, feature = "cosmos"))]
mod cosmos;
#[cfg(test)]
mod doubles;
#[cfg(test)]
mod files;
#[cfg(test)]
mod group_commit;
#[cfg(test)]
mod memory;
#[cfg(feature = "postgres")]
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod processes;
#[cfg(all(test, feature = "redis"))]
mod redis;
#[cfg(all(test, feature = "s3"))]
mod s3;
#[cfg(test)]
mod sqlite;
