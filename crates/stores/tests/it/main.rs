//! Integration tests: the conformance suite on every engine, and tests of each engine alone.

#[cfg(all(test, any(feature = "postgres", feature = "redis")))]
mod authority;
#[cfg(test)]
mod backup;
#[cfg(feature = "azure-blob")]
#[cfg(test)]
mod blob;
#[cfg(all(test, feature = "cosmos"))]
mod cosmos;
#[cfg(test)]
mod costs;
#[cfg(test)]
mod doubles;
#[cfg(feature = "encrypting")]
#[cfg(test)]
mod encrypting;
#[cfg(test)]
mod files;
#[cfg(test)]
mod group_commit;
#[cfg(test)]
mod looks;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod partition;
#[cfg(feature = "postgres")]
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod processes;
#[cfg(test)]
#[cfg(feature = "redis")]
mod redis;
#[cfg(test)]
#[cfg(feature = "s3")]
mod s3;
#[cfg(test)]
mod sqlite;
