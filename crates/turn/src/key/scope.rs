//! Text of a scope: the segment with which the keys of a bot or a tenant begin.

use std::fmt::Write as _;

/// First character of a scope, and separator of its parts.
pub(crate) const MARK: char = '~';

/// Length of the scope with which a key begins; 0 if it begins with none.
pub(crate) fn length(key: &str) -> usize {
    let is_name = |name: &str| {
        let mut bytes = name.bytes();
        bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
    };
    let head = key.strip_prefix(MARK).and_then(|rest| rest.split_once('/'));
    let is_scope = head.is_some_and(|(head, _)| match head.split_once(MARK) {
        None => !head.is_empty() && is_name(head),
        Some((bot, tenant)) => is_name(bot) && !tenant.is_empty() && is_name(tenant),
    });
    // With the mark before it and the slash behind it.
    head.filter(|_| is_scope).map_or(0, |(head, _)| head.len() + 2)
}

/// Encodes an id: letters, digits, `-` and `.` stand as they are, any other byte as `_` and its
/// code. No two ids are encoded alike.
pub(crate) fn encode(id: &str) -> String {
    id.bytes().fold(String::with_capacity(id.len()), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-.".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "_{byte:02x}").expect("a string takes any text");
        }
        text
    })
}
