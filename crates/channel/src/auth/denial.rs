//! Why a request is not let in.
//!
//! The sentences are fixed texts: nothing of the token or the activity can get into them.

/// Why a request is not let in, sorted by what the sender can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denial {
    /// It shows no token, or one that proves nothing: 401.
    Unknown(&'static str),
    /// Its token is good, but not for this activity: 403.
    Forbidden(&'static str),
    /// Its token cannot be checked at the moment: 503.
    Unavailable(&'static str),
}

/// Every way in which a token's own text can be wrong.
pub(super) const NOT_A_TOKEN: Denial = Denial::Unknown("the token cannot be read");
