//! What is kept of running dialogs: a stack of instances.
//!
//! In memory there is one form, top last. On paper there are three, because each SDK writes its own:
//! all are read, whatever was written is recognised, and by default it is written back as it was.

mod read;
mod write;

use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::Error as _};
use serde_json::{Map, Value};

/// The members of a JSON object.
pub type Members = Map<String, Value>;

/// Which SDK's way of writing a stack.
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
    /// Members that are not ours, as they came.
    rest: Members,
}

/// A dialog on the stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub(crate) id: String,
    /// What the dialog keeps, by the JavaScript SDK's names.
    pub(crate) state: Members,
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

    /// Whether no dialog is running.
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

    /// What the dialog keeps, by the JavaScript SDK's names.
    #[must_use]
    pub fn state(&self) -> &Members {
        &self.state
    }

    /// The stack inside, when the dialog is a container.
    #[must_use]
    pub fn inner(&self) -> Option<&DialogState> {
        self.inner.as_deref()
    }
}

impl<'de> Deserialize<'de> for DialogState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::state(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Serialize for DialogState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = write::state(self).map_err(S::Error::custom)?;
        value.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
