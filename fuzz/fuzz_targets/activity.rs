//! Fuzz target. The properties are in `sayso_activity::fuzz::activity`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_activity::fuzz::activity(data));
