//! CPU time and memory of a process, from Linux's `/proc`.

use std::{fs, io};

/// The unit in which the system counts CPU time, in microseconds; the same on every Linux.
const TICK_US: f64 = 10_000.0;

/// The CPU time that a process (an id, or `self`) and its threads have had, in microseconds. It
/// comes in steps of ten milliseconds: measure for long enough.
///
/// # Errors
/// When there is no such process.
pub fn cpu(process: &str) -> io::Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name comes before and may hold anything, even brackets.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => Ok((user + system) * TICK_US),
        _ => Err(io::Error::other("the system tells no CPU time of this process")),
    }
}

/// A line of a process's memory, such as `VmRSS` (held now) or `VmHWM` (the most so far), in bytes.
///
/// # Errors
/// When there is no such process or line.
pub fn memory(process: &str, line: &str) -> io::Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let found = text.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    let kib = found.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    kib.map(|kib| kib << 10).ok_or_else(|| io::Error::other("the system tells no such memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_an_unknown_one_is_an_error() {
        assert!(memory("self", "VmRSS").unwrap() > 1 << 16);
        assert!(memory("self", "VmHWM").unwrap() >= memory("self", "VmRSS").unwrap() / 2);
        assert!(memory("self", "NoSuchLine").is_err());
        assert!(cpu("self").is_ok());
        assert!(cpu("0").is_err());
    }
}
