//! JSON value kept as text, exactly as it came.
//!
//! Text rather than a tree: most values only pass through a bot, so nothing is spent on taking them
//! apart, and a number of thirty digits leaves with thirty digits.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// The largest scratch buffer that a thread keeps for reuse.
const SCRATCH_BYTES_MAX: usize = 64 << 10;

thread_local! {
    /// Scratch buffer of the thread: texts are written here while their length is unknown, then
    /// copied once into an allocation of the right size.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A JSON value kept as its text; cloning shares the text.
///
/// Two are equal when their text is, so `1.0` and `1` differ, as do two spellings of one object.
///
/// # Example
///
/// ```
/// use sayso_activity::Raw;
///
/// let raw = Raw::from_text("12345678901234567890123".to_owned())?;
/// assert_eq!(raw.as_str(), "12345678901234567890123");
///
/// let pair = Raw::of(&("a", 1))?;
/// assert_eq!(pair.get::<(String, u8)>()?, ("a".to_owned(), 1));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Raw(Text);

/// A text, by its origin. `serde_json` writes its own [`RawValue`] without a check; a text that was
/// written here it has to parse first.
#[derive(Clone)]
enum Text {
    Read(Arc<RawValue>),
    Written(Arc<str>),
}

static NULL: LazyLock<Raw> = LazyLock::new(|| Raw::from(RawValue::NULL.to_owned()));

impl Raw {
    /// Keeps a JSON text; white space around it is dropped, inside it is kept.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON value.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(Self::from)
    }

    /// Serialises a value as JSON.
    ///
    /// # Errors
    ///
    /// When the value cannot be JSON, such as a map whose keys are not strings.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        in_scratch(|mut text| {
            let written = serde_json::to_writer(&mut text, value);
            let kept = written.map(|()| {
                let text = str::from_utf8(&text).expect("the serialiser writes UTF-8");
                Self(Text::Written(text.into()))
            });
            (text, kept)
        })
    }

    /// Keeps the text that `write` appends, which must be one JSON value.
    pub(crate) fn written(write: impl FnOnce(&mut String)) -> Self {
        in_scratch(|text| {
            let mut text = String::from_utf8(text).expect("an empty buffer is valid UTF-8");
            write(&mut text);
            let kept = Self(Text::Written(text.as_str().into()));
            (text.into_bytes(), kept)
        })
    }

    /// The value `null`; it allocates nothing.
    #[must_use]
    pub fn null() -> Self {
        NULL.clone()
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Read(value) => value.get(),
            Text::Written(text) => text,
        }
    }

    /// Deserialises the text.
    ///
    /// # Errors
    ///
    /// When the text does not fit the type.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.as_str())
    }

    /// Reports whether the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_str() == "null"
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Raw {}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({})", self.as_str())
    }
}

impl From<serde_json::Value> for Raw {
    fn from(value: serde_json::Value) -> Self {
        Self::of(&value).expect("a JSON value has string keys only, so it can be written")
    }
}

impl From<Box<RawValue>> for Raw {
    fn from(value: Box<RawValue>) -> Self {
        Self(Text::Read(Arc::from(value)))
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Text::Read(value) => value.serialize(serializer),
            Text::Written(text) => {
                let value: &RawValue = serde_json::from_str(text).map_err(S::Error::custom)?;
                value.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// Runs `write` with this thread's scratch buffer, cleared. A nested call gets a buffer of its own.
fn in_scratch<T>(write: impl FnOnce(Vec<u8>) -> (Vec<u8>, T)) -> T {
    let mut text = SCRATCH.take();
    text.clear();
    let (text, made) = write(text);
    if text.capacity() <= SCRATCH_BYTES_MAX {
        SCRATCH.set(text);
    }
    made
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Raw;

    #[test]
    fn text_is_kept_to_the_letter() {
        for text in ["1e400", "-0.0", r#""\u00e9""#, "[ 1,\n2 ]", r#"{"b":1,"a":2}"#] {
            let raw = Raw::from_text(text.to_owned()).unwrap();
            assert_eq!(raw.as_str(), text);
            assert_eq!(serde_json::to_string(&raw).unwrap(), text);
            assert_eq!(serde_json::from_str::<Raw>(text).unwrap(), raw);
        }
    }

    #[test]
    fn what_was_written_here_serde_writes_to_the_letter_too() {
        let object = Raw::object(|object| object.string("a", "\"é"));
        for raw in [object, Raw::of(&("x", 1.0)).unwrap(), Raw::from(json!({"b": [null]}))] {
            let both = serde_json::to_string(&(&raw, 1)).unwrap();
            assert_eq!(both, format!("[{},1]", raw.as_str()));
            assert_eq!(serde_json::from_str::<(Raw, u8)>(&both).unwrap(), (raw, 1));
        }
    }

    #[test]
    fn outer_white_space_is_dropped() {
        assert_eq!(Raw::from_text(" 1 ".to_owned()).unwrap().as_str(), "1");
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in ["", "nope", "{", "1 2", "\u{feff}1"] {
            assert!(Raw::from_text(text.to_owned()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn null_is_known_however_it_was_made() {
        assert!(Raw::null().is_null());
        assert!(Raw::of(&None::<u8>).unwrap().is_null());
        assert!(Raw::from(json!(null)).is_null());
        assert!(!Raw::from(json!("null")).is_null());
        assert_eq!(format!("{:?}", Raw::null()), "Raw(null)");
    }
}
