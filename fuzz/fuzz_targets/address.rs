//! Fuzz target. The properties are in `sayso_channel::fuzz::address`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_channel::fuzz::address(data));
