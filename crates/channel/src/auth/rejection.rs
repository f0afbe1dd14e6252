//! Authentication failures, sorted by the HTTP status that they become.
//!
//! The messages are fixed texts, so nothing of a token or an activity can leak through them.

/// Authentication or authorization failure of a request, with the message for the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// No token, or one that is not valid: 401.
    Unauthorized(&'static str),
    /// The token is valid, but not for this activity: 403.
    Forbidden(&'static str),
    /// The token cannot be checked at the moment: 503.
    Unavailable(&'static str),
}

/// Any syntax error of a token. Saying more would only help an attacker.
pub(super) const NOT_A_TOKEN: Rejection = Rejection::Unauthorized("the token cannot be read");
