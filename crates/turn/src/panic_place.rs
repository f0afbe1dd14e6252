//! Place of the last panic on this thread: file and line, for the log.
//!
//! A panic that is caught brings its message along, which may hold a user's text, and not its
//! place. Only the process's panic hook learns that.

use std::{cell::RefCell, panic, sync::Once};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets the log say at which line a handler panicked, from now on and for the whole process: puts a
/// hook before the present one, which is called as ever. [`serve`] of the crate `sayso` does this.
///
/// [`serve`]: https://docs.rs/sayso
///
/// # Example
/// ```
/// sayso_turn::note_panics();
/// ```
pub fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string);
            LAST.with(|last| *last.borrow_mut() = place);
            before(info);
        }));
    });
}

/// Takes the place of the last panic on this thread.
pub(crate) fn take() -> Option<String> {
    LAST.with(|last| last.borrow_mut().take())
}
