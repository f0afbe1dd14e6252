//! Storage engines for the documents of a bot, and the conformance suite that every engine must
//! pass.
//!
//! * `sqlite` (feature `sqlite`, on by default): one file, durable, shared by the processes of one
//!   machine. The engine to start with.
//! * `partition`: documents spread over several stores, by kind or by tenant.
//! * `conformance` (feature `conformance`): the contract of [`Store`](sayso_turn::store::Store) as
//!   tests. A new engine is a module and one macro call.
//! * `encrypting` (feature `encrypting`): encryption at rest, in front of any engine.
//! * `doubles` (feature `conformance`): stores that count calls or fail on request, for tests of
//!   whatever stands above a store.
//!
//! Engines that a bot grows onto, each behind a feature of its name: `postgres`, `redis`,
//! `azure-blob`, `cosmos`, `s3`. The feature `entra` adds sign-in to Microsoft Entra ID to
//! `postgres` and `redis`.
//!
//! The memory store is part of `sayso-turn`.

#[cfg(feature = "azure-blob")]
pub mod blob;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod certificate;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "cosmos")]
pub mod cosmos;
#[cfg(feature = "conformance")]
pub mod doubles;
#[cfg(feature = "encrypting")]
pub mod encrypting;
#[cfg(feature = "entra")]
#[allow(dead_code, reason = "each engine uses a part of it")]
mod entra;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod foreign;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
#[cfg(any(feature = "postgres", feature = "redis"))]
mod lanes;
mod layout;
#[cfg(any(feature = "postgres", feature = "redis"))]
#[allow(dead_code, reason = "each engine uses a part of it")]
mod login;
#[cfg(any(
    feature = "azure-blob",
    feature = "cosmos",
    feature = "encrypting",
    feature = "postgres",
    feature = "redis",
    feature = "s3"
))]
mod loud;
#[cfg(any(
    feature = "azure-blob",
    feature = "cosmos",
    feature = "postgres",
    feature = "redis",
    feature = "s3",
    feature = "sqlite"
))]
mod meter;
#[cfg(any(feature = "azure-blob", feature = "cosmos", feature = "redis", feature = "s3"))]
mod parameter;
pub mod partition;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "s3")]
pub mod s3;
#[cfg(any(
    feature = "azure-blob",
    feature = "cosmos",
    feature = "postgres",
    feature = "redis",
    feature = "s3"
))]
#[allow(dead_code, reason = "each engine uses a part of it")]
mod secrets;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "azure-blob", feature = "s3"))]
mod strays;
mod sync;
#[cfg(any(feature = "azure-blob", feature = "cosmos", feature = "redis", feature = "s3"))]
mod write_id;

#[cfg(feature = "azure-blob")]
pub use crate::blob::BlobStore;
#[cfg(feature = "cosmos")]
pub use crate::cosmos::{CosmosConfig, CosmosStore};
#[cfg(feature = "postgres")]
pub use crate::postgres::{PostgresConfig, PostgresStore};
#[cfg(feature = "redis")]
pub use crate::redis::RedisStore;
#[cfg(feature = "s3")]
pub use crate::s3::S3Store;
#[cfg(feature = "sqlite")]
pub use crate::sqlite::SqliteStore;

pub use crate::layout::{Layout, UnknownLayout};
pub use crate::partition::{PartitionBy, PartitionedStore};

#[cfg(all(doctest, feature = "sqlite"))]
#[doc = include_str!("../README.md")]
struct Readme;
