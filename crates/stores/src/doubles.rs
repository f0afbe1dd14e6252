//! Test doubles: decorators of a store that count calls or inject faults.
//!
//! Both stand in front of a real store and are stores themselves.

mod counted;
mod faulty;

pub use self::{
    counted::{Counted, Counts},
    faulty::{Call, Fault, Faulty, Operation},
};
