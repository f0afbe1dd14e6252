//! Load generator for bots behind HTTP, with the channel's side: clients that send messages, and a
//! sink for the replies.
//!
//! All connections share one thread. On loopback, sending to a sleeping thread wakes it up at the
//! sender's expense, a cost that no bot has with a real network. It is the same for every runtime.

mod client;
mod rush;
mod sink;
mod walk;
mod wire;

use std::sync::{
    LazyLock,
    atomic::{AtomicU64, Ordering},
};

use tokio::runtime::{Builder, Runtime};

pub use self::{
    client::Client,
    rush::{Rush, rush},
    sink::{Replies, Reply, Sink},
    walk::{Talk, Walk, walk},
};

/// The one thread of the generator.
static THREAD: LazyLock<Runtime> = LazyLock::new(|| {
    let one =
        Builder::new_multi_thread().worker_threads(1).thread_name("load").enable_all().build();
    one.expect("the system gives a thread")
});

/// Waits for a future. Tasks that it spawns run on the thread of the generator.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    THREAD.block_on(future)
}

/// The id of a conversation that does not exist yet.
#[must_use]
pub fn new_conversation() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("c{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Percentile: the figure below which this share of them lies; 0 without figures.
#[must_use]
pub fn percentile(figures: &[f64], share: f64) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    let last = figures.len().saturating_sub(1);
    let at = (figures.len() as f64 * share) as usize;
    figures.get(at.min(last)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_figures() {
        let figures: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&figures, 0.5), 51.0);
        assert_eq!(percentile(&figures, 0.99), 100.0);
        assert_eq!(percentile(&figures, 1.0), 100.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
