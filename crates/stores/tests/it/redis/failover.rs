//! Failovers, planned and not: masters that are killed or frozen under load, and replicas that do
//! not acknowledge.

mod acks;
mod cluster;
pub(super) mod load;
mod sentinels;
