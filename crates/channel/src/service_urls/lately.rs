//! Service URLs that were found allowed lately.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, PoisonError},
};

use reqwest::Url;

use super::ServiceUrls;

/// How many are remembered. A bot meets a handful.
const MOST: usize = 32;

/// A list, and what it has said yes to: the same few URLs come with every activity, and reading one takes
/// longer than finding it.
#[derive(Debug)]
pub(crate) struct Lately {
    list: ServiceUrls,
    known: Mutex<VecDeque<(Box<str>, Url)>>,
}

impl Lately {
    pub(crate) fn new(list: ServiceUrls) -> Self {
        Self { list, known: Mutex::default() }
    }

    /// Whether an activity may name this URL.
    pub(crate) fn allows(&self, url: &str) -> bool {
        self.resolve(url).is_some()
    }

    /// The URL in its normal form, if it is allowed.
    pub(crate) fn resolve(&self, url: &str) -> Option<Url> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = known().iter().find(|(text, _)| **text == *url) {
            return Some(found.clone());
        }
        let found = self.list.resolve(url)?;
        let mut known = known();
        known.truncate(MOST - 1);
        known.push_front((url.into(), found.clone()));
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
                assert_eq!(lately.resolve(&url), ServiceUrls::Loopback.resolve(&url));
                assert!(!lately.allows(&format!("https://example.com:{port}")));
            }
        }
        assert_eq!(lately.known.lock().unwrap().len(), MOST);
    }
}
