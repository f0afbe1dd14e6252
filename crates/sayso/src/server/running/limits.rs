//! Limits of the HTTP server: connections, header timeout, header and buffer sizes.

use std::time::Duration;

/// Limits of the HTTP server, for all clients together.
///
/// An idle connection costs a descriptor and some memory, and anybody who can reach the port can
/// open as many as they like. So the number of open connections is bounded. When the bound is
/// reached, the longest-idle one makes room for the new one: however many idle connections somebody
/// holds, a client with a request gets in.
#[derive(Clone, Debug)]
pub(crate) struct HttpLimits {
    /// Most connections open at once. Fewer, if the process may not open so many files.
    pub(crate) connections_max: usize,
    /// Descriptors reserved for all else: the admin address, the store, replies, the log.
    pub(crate) descriptors_kept: usize,
    /// Longest time for the head of a request to arrive, counted from when the connection is ready
    /// for it. So it is the keep-alive timeout, too; load balancers keep theirs for 60 seconds, and
    /// must be the first to hang up.
    pub(crate) head_timeout: Duration,
    /// Longest time for a TLS handshake.
    pub(crate) handshake_timeout: Duration,
    /// Largest head of a request. A token has 16 KB at most.
    pub(crate) head_bytes_max: usize,
    /// Largest buffer of a connection, for requests and for answers.
    pub(crate) buffer_bytes_max: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections_max: 4096,
            descriptors_kept: 256,
            head_timeout: Duration::from_secs(75),
            handshake_timeout: Duration::from_secs(10),
            head_bytes_max: 32 * 1024,
            buffer_bytes_max: 64 * 1024,
        }
    }
}

impl HttpLimits {
    /// The limits of the admin address: a few connections, of the descriptors that are reserved.
    pub(super) fn admin() -> Self {
        Self { connections_max: 64, descriptors_kept: 0, ..Self::default() }
    }

    /// Number of connections this process can hold.
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

/// Number of files and sockets this process may have open (`RLIMIT_NOFILE`).
#[cfg(unix)]
fn descriptors() -> usize {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current;
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// Unlimited: on this platform sockets are not files, and there is no such limit.
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
