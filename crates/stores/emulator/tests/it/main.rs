//! The store on Cosmos DB when things go wrong: faults inside the library, cut connections, a dead
//! server.

#[cfg(test)]
mod cuts;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod server;
