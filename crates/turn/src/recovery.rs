//! Recovery: finds what nobody is busy with any more, and wakes what is due.

mod sweep;

pub(crate) use self::sweep::watch;
