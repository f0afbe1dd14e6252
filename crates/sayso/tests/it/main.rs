//! The library behind real sockets: serving a bot, long turns, signing in, TLS.

#[cfg(test)]
mod admin;
#[cfg(unix)]
#[cfg(test)]
mod certificates;
#[cfg(test)]
mod client;
#[cfg(test)]
mod closed;
#[cfg(test)]
mod long;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod oauth_service;
#[cfg(test)]
mod server;
#[cfg(test)]
mod sink;
#[cfg(test)]
mod steps;
#[cfg(unix)]
#[cfg(test)]
mod tls;
