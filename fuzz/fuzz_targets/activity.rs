//! Fuzzes `sayso_activity::fuzz::activity`, which says what must hold.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_activity::fuzz::activity(data));
