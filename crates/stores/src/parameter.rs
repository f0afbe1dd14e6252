//! Names of URL parameters in errors.

/// Maximum length of a name that is shown.
const NAME_MAX: usize = 16;

/// The name of an unknown parameter, if it looks like one: a secret with an `&` in it that was not
/// escaped ends in what looks like a parameter.
pub(crate) fn shown(name: &str) -> &str {
    let is_of_name = |byte: u8| byte.is_ascii_lowercase() || b"_-".contains(&byte);
    let is_name = name.len() <= NAME_MAX && name.bytes().all(is_of_name);
    if is_name { name } else { "..." }
}
