//! Members of a JSON object.

use serde_json::{Map, Value};

/// The members of a JSON object.
pub type Members = Map<String, Value>;

/// Gives a member another name, if it is there.
pub(super) fn rename(members: &mut Members, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}
