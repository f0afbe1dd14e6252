//! Recovery: finds abandoned work, and wakes due timers and outboxes.

mod sweep;

pub(crate) use self::sweep::watch;
