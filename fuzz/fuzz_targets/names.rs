//! Fuzz target. The properties are in `sayso_stores::fuzz::names`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sayso_stores::fuzz::names(data));
