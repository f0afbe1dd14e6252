//! Channels that an operator has paused on this instance.

use std::collections::BTreeSet;

use crate::{
    Key,
    sync::{AtomicBool, Mutex, Ordering, lock},
};

/// Paused channels, by id.
#[derive(Debug, Default)]
pub(crate) struct PausedChannels {
    channels: Mutex<BTreeSet<String>>,
    /// Fast path: false while no channel is paused, so that the lock is not needed.
    is_any: AtomicBool,
}

impl PausedChannels {
    /// Pauses or resumes a channel. Returns true if that changed anything.
    pub(crate) fn set(&self, channel: &str, is_paused: bool) -> bool {
        let mut channels = lock(&self.channels);
        let is_changed = match is_paused {
            true => channels.insert(channel.to_owned()),
            false => channels.remove(channel),
        };
        self.is_any.store(!channels.is_empty(), Ordering::Release);
        is_changed
    }

    /// Reports whether the channel of a conversation is paused.
    pub(crate) fn is_paused(&self, key: &Key) -> bool {
        if !self.is_any.load(Ordering::Acquire) {
            return false;
        }
        let channel = key.as_str().split('/').next().unwrap_or_default();
        lock(&self.channels).contains(channel)
    }
}
