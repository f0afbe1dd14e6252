//! Fuzzes `sayso_channel::fuzz::connector`, which says what must hold.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_channel::fuzz::connector(data));
