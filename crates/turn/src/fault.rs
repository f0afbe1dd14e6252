//! Fault injection: named points at which a test build kills itself.
//!
//! With the feature `faults`, the environment variable `SAYSO_FAULT=name` or `name:n` makes the
//! process kill itself, as `kill -9` does, the first or n-th time it passes that point. Without the
//! feature nothing of this is compiled.
//!
//! The points: `after_load`, `before_commit`, `after_commit`, `after_hand_over`, `after_record`.

/// Marks a fault point.
macro_rules! fault {
    ($name:literal) => {
        #[cfg(feature = "faults")]
        $crate::fault::pass($name);
    };
}

pub(crate) use fault;

/// Kills the process if this fault point was selected.
#[cfg(feature = "faults")]
#[expect(clippy::print_stderr, reason = "tests read this line of the killed process")]
pub(crate) fn pass(name: &str) {
    use std::sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    };
    static WANTED: LazyLock<Option<(String, u32)>> = LazyLock::new(|| {
        let text = std::env::var("SAYSO_FAULT").ok()?;
        Some(match text.split_once(':') {
            Some((name, count)) => (name.to_owned(), count.parse().unwrap_or(1)),
            None => (text, 1),
        })
    });
    static PASSED: AtomicU32 = AtomicU32::new(0);
    let Some((wanted, count)) = &*WANTED else { return };
    if wanted != name || PASSED.fetch_add(1, Ordering::SeqCst) + 1 != *count {
        return;
    }
    eprintln!("fault: {name}");
    // By the shell's own `kill`: not every machine has the command.
    let kill = format!("kill -9 {}", std::process::id());
    drop(std::process::Command::new("sh").args(["-c", &kill]).status());
    loop {
        std::thread::park();
    }
}
