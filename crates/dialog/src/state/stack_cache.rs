//! Cache of recently written dialog stacks: the next turn of a conversation need not parse its own
//! writing.
//!
//! An entry belongs to a text, not to a conversation: the key is the address of that very text, so
//! only a turn that got its document from memory finds it. Every other turn parses. It saves a
//! tenth of the time of a turn of the benchmark's waterfall.

use std::{
    fmt,
    num::NonZeroUsize,
    sync::{Mutex, MutexGuard},
};

use lru::LruCache;
use sayso_activity::Raw;

use super::{
    plain,
    stack::{DEPTH_MAX, DialogState},
};
use crate::sync::lock;

/// Limits: the number of entries, and the length of each one's text. As values it takes several
/// times as much.
const KEPT_MAX: NonZeroUsize = NonZeroUsize::new(2048).expect("it is not zero");
const TEXT_BYTES_MAX: usize = 4096;

/// Stacks by the address of their text. The text is kept too, so that no other can be there.
pub(crate) struct StackCache(Mutex<LruCache<usize, (Raw, DialogState)>>);

impl StackCache {
    fn kept(&self) -> MutexGuard<'_, LruCache<usize, (Raw, DialogState)>> {
        lock(&self.0)
    }

    /// Keeps the stack that a text was written from, if parsing the text would give an equal one.
    pub(crate) fn keep(&self, text: Raw, state: DialogState) {
        let is_small = text.as_str().len() <= TEXT_BYTES_MAX;
        if is_small && plain::fits(&state) && !state.is_empty() && plain::depth(&state) <= DEPTH_MAX
        {
            let evicted = self.kept().push(address(&text), (text, state));
            // Not under the lock.
            drop(evicted);
        }
    }

    /// Takes out the stack that a text was written from.
    pub(crate) fn take(&self, text: &Raw) -> Option<DialogState> {
        let (_, state) = self.kept().pop(&address(text))?;
        debug_assert!(state.reads_as(text), "what is kept is what would be read");
        Some(state)
    }
}

impl Default for StackCache {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT_MAX)))
    }
}

impl fmt::Debug for StackCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StackCache({})", self.kept().len())
    }
}

fn address(text: &Raw) -> usize {
    text.as_str().as_ptr().addr()
}

impl DialogState {
    /// True if parsing a text gives this.
    fn reads_as(&self, text: &Raw) -> bool {
        let settled = |mut state: Self| {
            state.load_options();
            state
        };
        Self::read(text).is_ok_and(|read| settled(read) == settled(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn waiting(id: &str) -> DialogState {
        let text =
            format!(r#"{{"dialogStack":[{{"id":"{id}","state":{{"options":{{"a":1}}}}}}]}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_text_gives_its_stack_once() {
        let (cache, state) = (StackCache::default(), waiting("a"));
        let text = Raw::of(&state).unwrap();
        let same_words = Raw::of(&state).unwrap();
        cache.keep(text.clone(), state.clone());
        assert_eq!(cache.take(&same_words), None, "another text in the same words");
        assert_eq!(cache.take(&text), Some(state));
        assert_eq!(cache.take(&text), None);
    }

    #[test]
    fn an_empty_or_foreign_stack_is_not_kept() {
        let cache = StackCache::default();
        let text = Raw::of(&DialogState::default()).unwrap();
        cache.keep(text, DialogState::default());
        let mut other = waiting("a");
        other.set_shape(Shape::DotNet);
        cache.keep(Raw::of(&other).unwrap(), other);
        assert_eq!(format!("{cache:?}"), "StackCache(0)");
    }

    #[test]
    fn a_large_stack_is_not_kept() {
        let (cache, state) = (StackCache::default(), waiting(&"a".repeat(TEXT_BYTES_MAX)));
        cache.keep(Raw::of(&state).unwrap(), state);
        assert_eq!(format!("{cache:?}"), "StackCache(0)");
    }

    #[test]
    fn the_number_is_bounded() {
        let cache = StackCache::default();
        for number in 0..KEPT_MAX.get() + 10 {
            let state = waiting(&number.to_string());
            cache.keep(Raw::of(&state).unwrap(), state);
        }
        assert_eq!(format!("{cache:?}"), format!("StackCache({KEPT_MAX})"));
    }
}
