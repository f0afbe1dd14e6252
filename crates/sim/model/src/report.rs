//! Results for people: tables and sequences.
