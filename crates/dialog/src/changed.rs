//! Policy for conversations under way whose code a deployment has changed.

/// The policy for a conversation inside a container that a deployment has changed.
///
/// The dialogs first get the event [`Event::CHANGED`](crate::Event::CHANGED). The policy applies if
/// none of them handles it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Changed {
    /// It goes on: steps that have names are found by them, others by their numbers.
    #[default]
    Continue,
    /// It starts again from the beginning, after these words, if any.
    Restart(Option<String>),
    /// The turn fails, and nothing changes.
    Fail,
}

/// Internal signal that a conversation must start again; only the host sees it.
#[derive(Debug, thiserror::Error)]
#[error("the conversation starts again")]
pub(crate) struct Restart(pub(crate) Option<String>);
