//! Making JSON member by member, straight as text: for what is written on every turn.
//!
//! Brackets, commas, names and escapes are seen to here, so that whatever is made is one JSON
//! value.

use serde_json::Value;

use crate::{Raw, json::write_string};

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

impl<'a> ObjectText<'a> {
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
        self.to.push_str(value.as_str());
    }

    /// A member that is any value.
    pub fn value(&mut self, name: &str, value: &Value) {
        self.name(name);
        write_value(self.to, value);
    }

    /// A member that is an object of its own.
    pub fn object(&mut self, name: &str, fill: impl FnOnce(&mut ObjectText<'_>)) {
        self.name(name);
        ObjectText::write(self.to, fill);
    }

    /// A member that is a list.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut ListText<'_>)) {
        self.name(name);
        self.to.push('[');
        fill(&mut ListText { to: self.to, is_empty: true });
        self.to.push(']');
    }

    fn name(&mut self, name: &str) {
        separate(self.to, &mut self.is_empty);
        write_string(self.to, name);
        self.to.push(':');
    }
}

impl ListText<'_> {
    /// An item that is an object.
    pub fn object(&mut self, fill: impl FnOnce(&mut ObjectText<'_>)) {
        separate(self.to, &mut self.is_empty);
        ObjectText::write(self.to, fill);
    }
}

fn separate(to: &mut String, is_empty: &mut bool) {
    if !std::mem::take(is_empty) {
        to.push(',');
    }
}

/// As `serde_json` writes it; the short ones without its help.
fn write_value(to: &mut String, value: &Value) {
    match value {
        Value::Null => to.push_str("null"),
        Value::Bool(value) => to.push_str(if *value { "true" } else { "false" }),
        Value::String(text) => write_string(to, text),
        Value::Object(members) if members.is_empty() => to.push_str("{}"),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            to.push_str(&serde_json::to_string(value).expect("a JSON value can be written"));
        }
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
