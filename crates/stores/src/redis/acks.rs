//! Acknowledgements of replicas (`WAIT`): what is not on enough of them does not count.
//!
//! Redis answers a write before its replicas have it, so a failover may lose it. `WAIT` behind the
//! write, on the same connection, says how many replicas have everything up to it. With too few
//! the write is in doubt: it may survive or not.
//!
//! A read needs the same. A master that was frozen while a replica took its place goes on for some
//! seconds as if nothing had been; who read there the write that is in doubt would take it for
//! done. So a load writes a mark behind which it waits, too.

use std::{fmt, time::Duration};

use redis::{Cmd, Value};

/// The time that replicas have for an acknowledgement.
const ACK_MAX: Duration = Duration::from_secs(1);

/// The largest number of replicas to wait for.
const REPLICAS_MAX: usize = 16;

/// The number of replicas that must acknowledge a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acks(usize);

impl Acks {
    /// Parses the number in the URL.
    pub(super) fn parse(number: &str) -> Option<Self> {
        let count = number.parse().ok().filter(|count| (1..=REPLICAS_MAX).contains(count));
        count.map(Self)
    }

    pub(super) fn count(self) -> usize {
        self.0
    }

    /// The command that waits for what this connection has written before.
    pub(super) fn command(self) -> Cmd {
        waiting_for(self.0, ACK_MAX)
    }

    /// The command that waits for nothing: an error says that the server does not know it.
    pub(super) fn probe() -> Cmd {
        waiting_for(0, Duration::ZERO)
    }

    /// True if enough replicas have acknowledged by this answer.
    pub(super) fn suffice(self, answer: &Value) -> bool {
        let Value::Int(count) = answer else { return false };
        usize::try_from(*count).is_ok_and(|count| count >= self.0)
    }
}

/// As it is in the URL.
impl fmt::Display for Acks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wait={}", self.0)
    }
}

fn waiting_for(count: usize, limit: Duration) -> Cmd {
    let mut command = redis::cmd("WAIT");
    let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    let _command = command.arg(count).arg(millis);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enough_replicas_suffice() {
        let acks = Acks::parse("2").unwrap();
        for (count, expected) in [(0, false), (1, false), (2, true), (3, true)] {
            assert_eq!(acks.suffice(&Value::Int(count)), expected);
        }
        for strange in [Value::Nil, Value::Okay, Value::Int(-9)] {
            assert!(!acks.suffice(&strange));
        }
    }

    #[test]
    fn a_number_of_replicas_has_limits() {
        for wrong in ["", "0", "-1", "17", "x", "1.5"] {
            assert_eq!(Acks::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Acks::parse("16").unwrap().to_string(), "wait=16");
    }
}
