//! What connections may take of the machine.

use std::time::Duration;

/// What connections may take of the machine, whoever makes them.
///
/// A connection that asks for nothing costs a descriptor and some memory, and anybody who can reach
/// the port can make as many as they like. So there is a number that are open at once. When it is
/// reached, the one that has waited longest without a request makes room for the new one: however
/// many idle connections somebody holds, a client that has something to say gets in.
#[derive(Clone, Debug)]
pub(crate) struct HttpLimits {
    /// How many connections are open at once. Fewer, if the process may not open so many files.
    pub(crate) connections_max: usize,
    /// How many files and sockets the process keeps for all else: its store, its replies, its log.
    pub(crate) descriptors_kept: usize,
    /// How long the head of a request may take to arrive, counted from when the connection is ready
    /// for it. So it is also how long a connection is kept without a request; load balancers keep
    /// theirs for 60 seconds, and must be the first to hang up.
    pub(crate) head_timeout: Duration,
    /// How large the head of a request may be. A token has 16 KB at most.
    pub(crate) head_bytes_max: usize,
    /// How much of a request or an answer a connection holds between the socket and the bot.
    pub(crate) buffer_bytes_max: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections_max: 4096,
            descriptors_kept: 256,
            head_timeout: Duration::from_secs(75),
            head_bytes_max: 32 * 1024,
            buffer_bytes_max: 64 * 1024,
        }
    }
}

impl HttpLimits {
    /// How many connections this process can hold.
    pub(super) fn capacity(&self) -> usize {
        self.capacity_of(descriptors())
    }

    /// The same, for a process that may open so many files. At least one, or nobody could ask why.
    fn capacity_of(&self, descriptors: usize) -> usize {
        // Where there are few, half of them are for connections.
        let kept = self.descriptors_kept.min(descriptors / 2);
        self.connections_max.min(descriptors - kept).max(1)
    }
}

/// How many files and sockets this process may have open.
#[cfg(unix)]
fn descriptors() -> usize {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// Sockets are not files here, and there is no such limit.
#[cfg(not(unix))]
fn descriptors() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_keeps_descriptors_for_what_is_not_a_connection() {
        let limits = HttpLimits::default();
        for (descriptors, capacity) in [
            (usize::MAX, 4096),
            (4352, 4096),
            (4351, 4095),
            (1024, 768),
            (256, 128),
            (1, 1),
            (0, 1),
        ] {
            assert_eq!(limits.capacity_of(descriptors), capacity, "{descriptors}");
        }
        assert!(limits.capacity() >= 1);
    }
}
