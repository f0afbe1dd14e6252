//! Fuzz target. The properties are in `sayso_channel::fuzz::bearer`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_channel::fuzz::bearer(data));
