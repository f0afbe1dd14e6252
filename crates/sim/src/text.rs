//! Text scanning: padding of bulky replies, members of stored documents.

/// A text without the padding that makes it bulky.
pub(crate) fn plain(text: &str) -> String {
    text.trim_end_matches('x').to_owned()
}

/// The text between a beginning and the next end.
pub(crate) fn between<'a>(text: &'a str, begin: &str, end: char) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end)?.0)
}
