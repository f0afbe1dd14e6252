//! Acknowledgements of replicas (`WAIT`, `WAITAOF`): what is not on enough of them does not count.
//!
//! Redis answers a write before its replicas have it, so a failover may lose it. `WAIT` behind the
//! write, on the same connection, says how many replicas have everything up to it. With too few
//! the write is in doubt: it may survive or not.
//!
//! A read needs the same. A master that was frozen while a replica took its place goes on for some
//! seconds as if nothing had been; who read there the write that is in doubt would take it for
//! done. So a load writes a mark behind which it waits, too.

use std::time::Duration;

use redis::{Cmd, Value, from_redis_value};

/// The time that replicas have for an acknowledgement.
const ACK_MAX: Duration = Duration::from_secs(1);

/// The largest number of replicas to wait for.
const REPLICAS_MAX: usize = 16;

/// The acknowledgements that a write needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acks {
    /// The number of replicas.
    pub(super) replicas: usize,
    /// True if they must have it on their disks (`WAITAOF`), false if in memory (`WAIT`).
    pub(super) is_on_disk: bool,
}

impl Acks {
    /// Parses the number in the URL.
    pub(super) fn parse(number: &str, is_on_disk: bool) -> Option<Self> {
        let replicas = number.parse().ok().filter(|replicas| (1..=REPLICAS_MAX).contains(replicas));
        replicas.map(|replicas| Self { replicas, is_on_disk })
    }

    /// The name of the command, and in small letters of the parameter in the URL.
    pub(super) fn name(self) -> &'static str {
        if self.is_on_disk { "WAITAOF" } else { "WAIT" }
    }

    /// The parameter as it is in the URL.
    pub(super) fn parameter(self) -> String {
        format!("{}={}", self.name().to_ascii_lowercase(), self.replicas)
    }

    /// The command that waits for what this connection has written before.
    pub(super) fn command(self) -> Cmd {
        self.waiting_for(self.replicas, ACK_MAX.as_millis())
    }

    /// The command that waits for nothing: an error says that the server does not know it.
    pub(super) fn probe(self) -> Cmd {
        self.waiting_for(0, 0)
    }

    fn waiting_for(self, replicas: usize, millis: u128) -> Cmd {
        let mut command = redis::cmd(self.name());
        if self.is_on_disk {
            // The server's own file is a matter of its settings, which are looked at on opening.
            let _command = command.arg(0);
        }
        let _command = command.arg(replicas).arg(u64::try_from(millis).unwrap_or(u64::MAX));
        command
    }

    /// True if enough replicas have acknowledged by this answer.
    pub(super) fn suffice(self, answer: Value) -> bool {
        let count = match self.is_on_disk {
            true => from_redis_value::<(usize, usize)>(answer).map(|(_, replicas)| replicas),
            false => from_redis_value::<usize>(answer),
        };
        count.is_ok_and(|count| count >= self.replicas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_enough_replicas_suffice() {
        let (wait, disk) = (Acks::parse("2", false).unwrap(), Acks::parse("2", true).unwrap());
        for (count, expected) in [(0, false), (1, false), (2, true), (3, true)] {
            assert_eq!(wait.suffice(Value::Int(count)), expected);
            let both = Value::Array(vec![Value::Int(1), Value::Int(count)]);
            assert_eq!(disk.suffice(both), expected);
        }
        for strange in [Value::Nil, Value::Okay, Value::Array(vec![Value::Int(9)])] {
            assert!(!wait.suffice(strange.clone()) && !disk.suffice(strange));
        }
    }

    #[test]
    fn a_number_of_replicas_has_limits() {
        for wrong in ["", "0", "-1", "17", "x", "1.5"] {
            assert_eq!(Acks::parse(wrong, false), None, "{wrong}");
        }
        assert_eq!(Acks::parse("16", true).unwrap().parameter(), "waitaof=16");
    }
}
