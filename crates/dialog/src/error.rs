//! Errors of the dialog machinery, as opposed to errors inside a dialog of the author's.

/// A mistake in how dialogs are put together or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dialog was asked for that no set has.
    #[error(
        "no dialog `{id}` is registered here (registered: {known}); add it to the set or check the id"
    )]
    Unknown {
        /// The id that was asked for.
        id: String,
        /// The ids that could have been asked for.
        known: String,
    },
    /// The stack is as deep as it may be.
    #[error(
        "more than {0} dialogs are on the stack; a dialog that begins another in a loop uses `replace`"
    )]
    Depth(usize),
    /// A container was changed while a conversation was inside it, and the policy is to fail.
    #[error("the dialog `{id}` was changed while this conversation was inside it")]
    Changed {
        /// The container.
        id: String,
    },
    /// A component has no dialog to begin with.
    #[error("the component `{0}` has no dialogs")]
    NoDialogs(String),
    /// Dialogs that are not under way were handed an activity that begins nothing.
    #[error(transparent)]
    NotBegun(#[from] crate::begin::NotBegun),
    /// A validator accepted an answer without a value.
    #[error(
        "the validator of the prompt `{0}` accepted an answer that was not recognized, so there is \
         no value to go on with; return `false` when `check.value` is `None`, or set `check.value`"
    )]
    NoValue(String),
    /// The state cannot be used.
    #[error(transparent)]
    State(#[from] sayso_turn::StateError),
    /// A value is not of the type it is asked for.
    #[error("{what} does not have the expected type")]
    Type {
        /// The value, by what it is for.
        what: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// An error of a dialog, with the place where it happened.
    #[error("the dialog `{dialog}` failed (stack: {stack})")]
    Inside {
        /// The dialog that was active.
        dialog: String,
        /// The ids on the stack, outermost first.
        stack: String,
        /// The cause.
        #[source]
        source: sayso_turn::BotError,
    },
}

/// The result of dialogs: a value, or any error of theirs.
pub type Result<T, E = sayso_turn::BotError> = std::result::Result<T, E>;
