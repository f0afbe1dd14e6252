//! Service URLs that were found allowed lately.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Base, ServiceUrls};

/// How many are remembered. A bot meets a handful.
const MOST: usize = 32;

/// A list, and what it has said yes to: the same few URLs come with every activity, and reading one
/// takes longer than finding it.
#[derive(Debug)]
pub(crate) struct Lately {
    list: ServiceUrls,
    known: Mutex<VecDeque<(Box<str>, Arc<Base>)>>,
}

impl Lately {
    pub(crate) fn new(list: ServiceUrls) -> Self {
        Self { list, known: Mutex::default() }
    }

    /// Whether an activity may name this URL.
    pub(crate) fn allows(&self, url: &str) -> bool {
        self.resolve(url).is_some()
    }

    /// The URL as calls use it, if it is allowed.
    pub(crate) fn resolve(&self, url: &str) -> Option<Arc<Base>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known().iter().find(|(text, _)| **text == *url) {
            return Some(Arc::clone(found));
        }
        let found = Arc::new(Base::of(&self.list.resolve(url)?)?);
        let mut known = known();
        known.truncate(MOST - 1);
        known.push_front((url.into(), Arc::clone(&found)));
        Some(found)
    }
}

/// Says what is allowed, as the end of a sentence.
impl fmt::Display for Lately {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_decides_however_often_it_is_asked_and_memory_is_bounded() {
        let lately = Lately::new(ServiceUrls::Loopback);
        for _ in 0..2 {
            for port in 1..100 {
                let url = format!("http://localhost:{port}");
                let list = ServiceUrls::Loopback.resolve(&url).and_then(|url| Base::of(&url));
                assert_eq!(lately.resolve(&url).as_deref(), list.as_ref());
                assert!(!lately.allows(&format!("https://example.com:{port}")));
            }
        }
        assert_eq!(lately.known.lock().unwrap().len(), MOST);
    }
}
