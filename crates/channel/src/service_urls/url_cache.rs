//! Cache of parsed service URLs that the allow-list accepted.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex},
};

use super::{ServiceUrl, ServiceUrls};
use crate::sync::lock;

/// Capacity of the cache. A bot meets a handful of service URLs.
const ENTRIES_MAX: usize = 32;

/// The allow-list with a cache of URLs that it accepted; every activity names one of the same few.
///
/// A turn checks its service URL twice, when it comes in and when the reply goes out. Without the
/// cache each check takes 6,000 instructions for a loopback address and 10,000 to 20,000 with the
/// list of a cloud, counted with callgrind, in a turn of about 100,000.
#[derive(Debug)]
pub(crate) struct UrlCache {
    list: ServiceUrls,
    known: Mutex<VecDeque<(Box<str>, Arc<ServiceUrl>)>>,
}

impl UrlCache {
    pub(crate) fn new(list: ServiceUrls) -> Self {
        Self { list, known: Mutex::default() }
    }

    /// Reports whether an activity may name this URL.
    pub(crate) fn allows(&self, url: &str) -> bool {
        self.resolve(url).is_some()
    }

    /// Returns the parsed URL, if it is allowed.
    pub(crate) fn resolve(&self, url: &str) -> Option<Arc<ServiceUrl>> {
        let known = || lock(&self.known);
        if let Some((_, found)) = known().iter().find(|(text, _)| **text == *url) {
            return Some(Arc::clone(found));
        }
        let found = Arc::new(ServiceUrl::of(&self.list.resolve(url)?)?);
        let mut known = known();
        known.truncate(ENTRIES_MAX - 1);
        known.push_front((url.into(), Arc::clone(&found)));
        Some(found)
    }
}

/// Describes the allowed URLs, as the end of a sentence.
impl fmt::Display for UrlCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_decides_however_often_it_is_asked_and_memory_is_bounded() {
        let url_cache = UrlCache::new(ServiceUrls::Loopback);
        for _ in 0..2 {
            for port in 1..100 {
                let url = format!("http://localhost:{port}");
                let list = ServiceUrls::Loopback.resolve(&url).and_then(|url| ServiceUrl::of(&url));
                assert_eq!(url_cache.resolve(&url).as_deref(), list.as_ref());
                assert!(!url_cache.allows(&format!("https://example.com:{port}")));
            }
        }
        assert_eq!(url_cache.known.lock().unwrap().len(), ENTRIES_MAX);
    }
}
