//! Tests of the dialogs, as a user of the crate sees them.
