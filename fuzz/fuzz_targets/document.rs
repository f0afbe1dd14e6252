//! Fuzzes `sayso_turn::fuzz::document`, which says what must hold.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_turn::fuzz::document(data));
