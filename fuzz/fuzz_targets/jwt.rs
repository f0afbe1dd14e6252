//! Fuzz target. The properties are in `sayso_channel::fuzz::jwt`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_channel::fuzz::jwt(data));
