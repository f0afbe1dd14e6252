//! Panic hook that records panics. The bot is asked for some; those bypass the hook, all others are
//! violations.

use std::{cell::RefCell, sync::Once};

thread_local! {
    /// Panics on this thread since listening began; `None` while nobody listens.
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Listens for panics on this thread until the end is asked for. What other threads do is as
/// before.
pub(crate) fn listen() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_heard = HEARD.with(|heard| match heard.borrow_mut().as_mut() {
                Some(heard) => {
                    heard.push(info.to_string());
                    true
                }
                None => false,
            });
            if !is_heard {
                before(info);
            }
        }));
    });
    HEARD.with(|heard| *heard.borrow_mut() = Some(Vec::new()));
}

/// Ends listening and returns the panics since its beginning.
pub(crate) fn end() -> Vec<String> {
    HEARD.with(|heard| heard.borrow_mut().take()).unwrap_or_default()
}
