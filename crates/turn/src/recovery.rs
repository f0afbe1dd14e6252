//! Recovery: finds abandoned work, and wakes due timers and outboxes.

mod page_size;
mod sweep;
mod watched;

pub(crate) use self::sweep::watch;
