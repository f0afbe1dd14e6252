//! The stack of running dialogs in memory.

use sayso_activity::Raw;
use serde::de::DeserializeOwned;

use super::members::Members;

/// The most containers inside one another; a deeper stack is taken for an attack.
pub(super) const DEPTH_MAX: usize = 16;

/// The member of an instance's state that holds its options.
pub(crate) const OPTIONS: &str = "options";

/// The SDK whose format a stack is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// The JavaScript SDK's: plain JSON, the top of the stack is last. New conversations use it.
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
    pub(super) is_foreign: bool,
    /// Members that this crate does not use, kept as they were read.
    pub(super) rest: Members,
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
    pub(super) rest: Members,
}

impl DialogState {
    /// An empty stack in this format.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        Self { shape, ..Self::default() }
    }

    /// Brings everything that is kept as text into the state.
    pub(super) fn load_options(&mut self) {
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

    /// The format in which it will be written: the one it was read in, unless another was set.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Sets the format in which it will be written.
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

    /// The whole state of the dialog, including its options.
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
