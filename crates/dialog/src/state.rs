//! The stack of running dialogs, as it is stored.
//!
//! In memory there is one form, top last. Stored, there are three, because each SDK writes its
//! own: all are read, whatever was written is recognised, and by default it is written back as it
//! was.

mod plain;
mod read;
mod stack_cache;
mod write;

use sayso_activity::Raw;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, de::DeserializeOwned, ser};
use serde_json::{Map, Value};

pub(crate) use self::stack_cache::StackCache;

/// The member of an instance's state that holds what it was begun with.
pub(crate) const OPTIONS: &str = "options";

/// The members of a JSON object.
pub type Members = Map<String, Value>;

/// The SDK whose format a stack is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// The JavaScript SDK's: plain JSON, the top of the stack is last. New conversations are so.
    #[default]
    JavaScript,
    /// The .NET SDK's: every object says its type, the top of the stack is first.
    DotNet,
    /// The Python SDK's, as its `jsonpickle` writes it: the top of the stack is first.
    Python,
}

/// The stack of a conversation's dialogs, by reference in a turn.
///
/// # Example
/// ```
/// use sayso_dialog::{DialogState, Shape};
///
/// // As .NET has it: the prompt that waits comes first.
/// let state: DialogState = serde_json::from_str(
///     r#"{"dialogStack":[{"id":"number","state":{},"StackIndex":null},
///                        {"id":"waterfall","state":{},"StackIndex":null}]}"#,
/// )?;
/// assert_eq!(state.shape(), Shape::DotNet);
/// assert_eq!(state.ids().collect::<Vec<_>>(), ["waterfall", "number"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DialogState {
    /// The top is last.
    pub(crate) stack: Vec<Instance>,
    pub(crate) shape: Shape,
    /// True if it was read by the general codec: then it is written by that, too.
    is_foreign: bool,
    /// Members that are not ours, as they came.
    rest: Members,
}

/// A dialog on the stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub(crate) id: String,
    /// The state of the dialog, by the JavaScript SDK's names.
    pub(crate) state: Members,
    /// The options that the dialog was begun with, as text, because they are rarely read. Else they
    /// are in `state`.
    pub(crate) options: Option<Raw>,
    /// The stack inside, when the dialog is a container.
    pub(crate) inner: Option<Box<DialogState>>,
    /// The version of the container that made it.
    pub(crate) version: Option<String>,
    rest: Members,
}

impl DialogState {
    /// An empty stack, to be written so.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        Self { shape, ..Self::default() }
    }

    /// Reads a stack that any of the SDKs wrote. The plain form, which is ours too, takes the short
    /// way.
    pub(crate) fn read(raw: &Raw) -> Result<Self, serde_json::Error> {
        match plain::read(raw) {
            Some(state) => Ok(state),
            None => read::state(raw.get()?).map_err(<serde_json::Error as de::Error>::custom),
        }
    }

    /// Writes it in its shape. The plain form takes the short way here, too.
    pub(crate) fn to_raw(&self) -> Result<Raw, serde_json::Error> {
        if plain::fits(self) {
            return Ok(plain::write(self));
        }
        let mut whole = self.clone();
        whole.load_options();
        Raw::of(&write::state(&whole)?)
    }

    /// Brings everything that is kept as text into the state.
    fn load_options(&mut self) {
        for instance in &mut self.stack {
            instance.members();
            if let Some(inner) = &mut instance.inner {
                inner.load_options();
            }
        }
    }

    /// Reports whether no dialog is running.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }

    /// The ids of the running dialogs, the top last; those inside a container are not among them.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.stack.iter().map(Instance::id)
    }

    /// The running dialogs, the top last.
    #[must_use]
    pub fn instances(&self) -> &[Instance] {
        &self.stack
    }

    /// The way in which it will be written: as it was read, unless somebody chose otherwise.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Chooses the way in which it will be written.
    pub fn set_shape(&mut self, shape: Shape) {
        self.shape = shape;
        let inner = self.stack.iter_mut().filter_map(|instance| instance.inner.as_deref_mut());
        inner.for_each(|inner| inner.set_shape(shape));
    }
}

impl Instance {
    pub(crate) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// The id of the dialog.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The state of the dialog, by the JavaScript SDK's names; its options may be only in
    /// [`options`](Self::options).
    #[must_use]
    pub fn state(&self) -> &Members {
        &self.state
    }

    /// The options that the dialog was begun with.
    ///
    /// # Errors
    /// When it is of another type.
    pub fn options<T: DeserializeOwned>(&self) -> Result<Option<T>, serde_json::Error> {
        match (&self.options, self.state.get(OPTIONS)) {
            (Some(options), _) => options.get().map(Some),
            (None, Some(options)) => T::deserialize(options).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// Everything that the dialog keeps, also what it was begun with.
    pub(crate) fn members(&mut self) -> &mut Members {
        if let Some(options) = self.options.take() {
            let options = options.get().unwrap_or_default();
            self.state.insert(OPTIONS.to_owned(), options);
        }
        &mut self.state
    }

    /// The stack inside, when the dialog is a container.
    #[must_use]
    pub fn inner(&self) -> Option<&DialogState> {
        self.inner.as_deref()
    }
}

impl<'de> Deserialize<'de> for DialogState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        Self::read(&raw).map_err(de::Error::custom)
    }
}

impl Serialize for DialogState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_raw().map_err(ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
