//! The deterministic simulator of Sayso.
