//! Fuzz target. The properties are in `sayso_turn::fuzz::document`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_turn::fuzz::document(data));
