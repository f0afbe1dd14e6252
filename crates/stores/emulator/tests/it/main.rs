//! The store on Cosmos DB when things go wrong: faults inside the library, cut connections, a dead
//! server; credentials that change, and accounts that are refused.

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod credentials;
#[cfg(test)]
mod cuts;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod regions;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod server;
