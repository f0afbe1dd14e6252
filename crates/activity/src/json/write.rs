//! Writers of JSON text: wire types, and objects made member by member.
//!
//! A reply is written on every turn. A serialiser looks through each name for characters to escape,
//! though none has any, and through each text character by character; that took a tenth of a turn.
//! The result equals that of `serde_json`, byte by byte; a property test compares them.
//!
//! Brackets, commas, names and escapes are seen to here, so whatever is made is one JSON value.

use serde_json::Value;

use crate::json::write_string;
use crate::{Extra, Raw};

/// A type that is written as JSON text.
pub(crate) trait WriteJson {
    fn write(&self, to: &mut String);
}

/// A JSON object that is being written, see [`Raw::object`].
#[derive(Debug)]
pub struct ObjectText<'a> {
    to: &'a mut String,
    is_empty: bool,
}

/// A JSON list that is being written, see [`ObjectText::list`].
#[derive(Debug)]
pub struct ListText<'a> {
    to: &'a mut String,
    is_empty: bool,
}

impl Raw {
    /// Writes a JSON object member by member, straight as text.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Raw;
    ///
    /// let raw = Raw::object(|order| {
    ///     order.string("size", "large");
    ///     order.list("toppings", |list| list.object(|one| one.string("name", "ham")));
    /// });
    /// assert_eq!(raw.as_str(), r#"{"size":"large","toppings":[{"name":"ham"}]}"#);
    /// ```
    #[must_use]
    pub fn object(fill: impl FnOnce(&mut ObjectText<'_>)) -> Self {
        Self::written(|text| ObjectText::write(text, fill))
    }
}

impl<'a> ObjectText<'a> {
    /// Writes an object, with the members that `fill` writes.
    pub(crate) fn write(to: &'a mut String, fill: impl FnOnce(&mut ObjectText<'_>)) {
        to.push('{');
        fill(&mut ObjectText { to, is_empty: true });
        to.push('}');
    }

    /// A member that is a string.
    pub fn string(&mut self, name: &str, value: &str) {
        self.name(name);
        write_string(self.to, value);
    }

    /// A member that is JSON already.
    pub fn raw(&mut self, name: &str, value: &Raw) {
        self.name(name);
        value.write(self.to);
    }

    /// A member that is any value.
    pub fn value(&mut self, name: &str, value: &Value) {
        self.name(name);
        value.write(self.to);
    }

    /// A member that is an object of its own.
    pub fn object(&mut self, name: &str, fill: impl FnOnce(&mut ObjectText<'_>)) {
        self.name(name);
        ObjectText::write(self.to, fill);
    }

    /// A member that is a list.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut ListText<'_>)) {
        self.name(name);
        ListText::write(self.to, fill);
    }

    /// A typed member, whose name comes with its quotes and its colon.
    pub(crate) fn field(&mut self, quoted_name: &'static str, value: &impl WriteJson) {
        separate(self.to, &mut self.is_empty);
        self.to.push_str(quoted_name);
        value.write(self.to);
    }

    /// The untyped members, without those that a typed field replaces.
    pub(crate) fn extra(&mut self, extra: &Extra, is_replaced: impl Fn(&str) -> bool) {
        for (name, value) in extra.iter().filter(|(name, _)| !is_replaced(name)) {
            self.raw(name, value);
        }
    }

    fn name(&mut self, name: &str) {
        separate(self.to, &mut self.is_empty);
        write_string(self.to, name);
        self.to.push(':');
    }
}

impl<'a> ListText<'a> {
    fn write(to: &'a mut String, fill: impl FnOnce(&mut ListText<'_>)) {
        to.push('[');
        fill(&mut ListText { to, is_empty: true });
        to.push(']');
    }

    /// An item that is an object.
    pub fn object(&mut self, fill: impl FnOnce(&mut ObjectText<'_>)) {
        separate(self.to, &mut self.is_empty);
        ObjectText::write(self.to, fill);
    }

    /// An item of a typed list.
    fn item(&mut self, value: &impl WriteJson) {
        separate(self.to, &mut self.is_empty);
        value.write(self.to);
    }
}

impl WriteJson for String {
    fn write(&self, to: &mut String) {
        write_string(to, self);
    }
}

impl WriteJson for bool {
    fn write(&self, to: &mut String) {
        to.push_str(if *self { "true" } else { "false" });
    }
}

impl WriteJson for Raw {
    fn write(&self, to: &mut String) {
        to.push_str(self.as_str());
    }
}

impl<T: WriteJson> WriteJson for Vec<T> {
    fn write(&self, to: &mut String) {
        ListText::write(to, |list| self.iter().for_each(|item| list.item(item)));
    }
}

/// As `serde_json` writes it; the short ones without its help.
impl WriteJson for Value {
    fn write(&self, to: &mut String) {
        match self {
            Self::Null => to.push_str("null"),
            Self::Bool(value) => value.write(to),
            Self::String(text) => write_string(to, text),
            Self::Object(members) if members.is_empty() => to.push_str("{}"),
            Self::Number(_) | Self::Array(_) | Self::Object(_) => {
                to.push_str(&serde_json::to_string(self).expect("a JSON value can be written"));
            }
        }
    }
}

/// Writes the comma before each member or item but the first.
fn separate(to: &mut String, is_empty: &mut bool) {
    if !std::mem::take(is_empty) {
        to.push(',');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Raw;

    #[test]
    fn what_is_made_is_what_serde_writes() {
        let any = json!({"n": [1, -2.5, 1e300], "s": "\u{1}\"\\é", "e": {}, "o": {"b": true}});
        for value in [any.clone(), json!(null), json!(false), json!(7), json!("a\nb"), json!({})] {
            let raw = Raw::object(|object| {
                object.string("a \"b\"", "c\\d");
                object.value("value", &value);
                object.raw("raw", &Raw::from(value.clone()));
                object.object("empty", |_| {});
                object.list("none", |_| {});
                object.list("two", |list| {
                    list.object(|one| one.string("1", "é"));
                    list.object(|two| two.list("2", |_| {}));
                });
            });
            let expected = json!({
                "a \"b\"": "c\\d", "value": value, "raw": value, "empty": {}, "none": [],
                "two": [{"1": "é"}, {"2": []}],
            });
            assert_eq!(raw.get::<Value>().unwrap(), expected);
        }
        let written = Raw::object(|object| object.value("any", &any));
        assert_eq!(written.as_str(), json!({ "any": any }).to_string());
    }
}
