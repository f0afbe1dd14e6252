//! Load on bots behind HTTP, and the channel's side of it: who sends messages, and where replies arrive.
//!
//! Threads and blocking sockets, so that the generator takes little CPU time and is the same for every
//! runtime that it meets.

mod client;
mod rush;
mod sink;
mod walk;
mod wire;

use std::sync::atomic::{AtomicU64, Ordering};

pub use self::{
    client::Client,
    rush::{Rush, rush},
    sink::{Reply, Sink},
    walk::{Talk, Walk, walk},
};

/// A conversation that nobody has had yet.
#[must_use]
pub fn new_conversation() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("c{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The figure below which this share of them lies; 0 without figures.
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
