//! Fuzzes `sayso_stores::fuzz::names`, which says what must hold.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_stores::fuzz::names(data));
