//! Stores for tests: one that counts what is asked of it, one that fails on request.
//!
//! Both stand in front of a real store and are stores themselves.

mod counted;
mod faulty;

pub use self::{
    counted::{Counted, Counts},
    faulty::{Call, Fault, Faulty, Operation},
};
