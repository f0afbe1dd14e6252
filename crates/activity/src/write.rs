//! Writing the wire types straight as text.
//!
//! A reply is written on every turn. Through a serialiser each name is looked through for
//! characters to escape, though none has any, and each text character by character; that took a
//! tenth of a turn. The result is what `serde_json` writes, byte by byte; a property test compares
//! the two.

use crate::json::write_string;
use crate::{Extra, Raw};

/// A type that a member can have, as text.
pub(crate) trait Written {
    fn write(&self, to: &mut String);
}

impl Written for String {
    fn write(&self, to: &mut String) {
        write_string(to, self);
    }
}

impl Written for bool {
    fn write(&self, to: &mut String) {
        to.push_str(if *self { "true" } else { "false" });
    }
}

impl Written for Raw {
    fn write(&self, to: &mut String) {
        to.push_str(self.as_str());
    }
}

impl<T: Written> Written for Vec<T> {
    fn write(&self, to: &mut String) {
        to.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                to.push(',');
            }
            item.write(to);
        }
        to.push(']');
    }
}

/// An object that is being written.
pub(crate) struct Object<'a> {
    to: &'a mut String,
    is_empty: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn begin(to: &'a mut String) -> Self {
        to.push('{');
        Self { to, is_empty: true }
    }

    /// Writes a member whose name comes with its quotes and its colon.
    pub(crate) fn member(&mut self, name: &'static str, value: &impl Written) {
        self.separate();
        self.to.push_str(name);
        value.write(self.to);
    }

    /// Writes those of the members without a field that `is_written` does not know of.
    pub(crate) fn extra(&mut self, extra: &Extra, is_written: impl Fn(&str) -> bool) {
        for (name, value) in extra.iter().filter(|(name, _)| !is_written(name)) {
            self.separate();
            write_string(self.to, name);
            self.to.push(':');
            value.write(self.to);
        }
    }

    pub(crate) fn end(self) {
        self.to.push('}');
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.to.push(',');
        }
    }
}
