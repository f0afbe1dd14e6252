//! Bodies of documents as the SDKs write them, and back.
//!
//! A body of an SDK becomes a plain bag of properties. The marks needed to write it back in the
//! SDK's form travel in the property [`NOTES`], which is never stored by the layouts that
//! understand it. Our own `$sayso` is stored as a string: the SDKs pass a string on as it is, while
//! in an object they would reformat dates and obey type names that somebody wrote into a message.

use super::{
    Layout,
    annotations::{DOTNET, Notes, PYTHON, Style},
    node::{Members, Node, ascii, take},
};

/// The property in which the SDK's type annotations travel with a document.
const NOTES: &str = "$layout";

/// The runtime's own property.
const OURS: &str = "$sayso";

/// Converts a body of an SDK to a document; the error says why it cannot be one.
pub(crate) fn read(layout: Layout, text: String) -> Result<String, &'static str> {
    if layout == Layout::Sayso {
        return Ok(text);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some(mut root) = Node::parse(text) else {
        return Err("it is not JSON, or not all of it is there");
    };
    let notes = match layout {
        Layout::Js => unwrap(&mut root),
        _ => None,
    };
    let Node::Object(members) = &mut root else {
        return Err("it is not an object with properties");
    };
    // The version of a former read: the service knows the right one.
    match layout {
        Layout::Js => drop(take(members, "eTag")),
        Layout::Python => drop(take(members, "e_tag")),
        _ => {}
    }
    let taken = style(layout).and_then(|style| style.take_out(&mut root).into_node());
    let Node::Object(mut members) = root else {
        return Err("it is a list");
    };
    if let Some((_, ours)) = members.iter_mut().find(|(name, _)| name == OURS)
        && let Some(text) = ours.as_text()
    {
        *ours = Node::parse(&text).ok_or("its property $sayso is damaged")?;
    }
    members.extend(notes.or(taken).map(|notes| (NOTES.to_owned(), notes)));
    Ok(Node::Object(members).print())
}

/// Converts a document to a body of the SDK; the error says why it must not be written so.
pub(crate) fn write(layout: Layout, text: String) -> Result<String, String> {
    if layout == Layout::Sayso {
        return Ok(text);
    }
    let Some(Node::Object(mut members)) = Node::parse(&text) else {
        return Err("the SDK of this layout keeps objects only".to_owned());
    };
    let notes = take(&mut members, NOTES);
    if let Some((_, ours)) = members.iter_mut().find(|(name, _)| name == OURS) {
        *ours = Node::text(&ascii(&ours.print()));
    }
    if layout == Layout::Js {
        return Ok(wrap(members, notes).print());
    }
    let mut root = Node::Object(members);
    if let Some(style) = style(layout) {
        style.put_back(&mut root, &Notes::from_node(notes))?;
    }
    Ok(root.print())
}

fn style(layout: Layout) -> Option<Style> {
    match layout {
        Layout::Dotnet | Layout::Sample => Some(DOTNET),
        Layout::Python => Some(PYTHON),
        _ => None,
    }
}

/// The deprecated storage of the JavaScript SDK wraps a document: `{id, realId, document}`.
fn unwrap(root: &mut Node) -> Option<Node> {
    let Node::Object(members) = root else { return None };
    let is_wrapper = members.len() == 3
        && members.iter().all(|(name, value)| match name.as_str() {
            "id" | "realId" => value.as_text().is_some(),
            "document" => matches!(value, Node::Object(_)),
            _ => false,
        });
    let document = is_wrapper.then(|| take(members, "document")).flatten()?;
    Some(std::mem::replace(root, document))
}

fn wrap(members: Members, notes: Option<Node>) -> Node {
    let document = Node::Object(members);
    match notes {
        Some(Node::Object(mut wrapper)) if wrapper.iter().any(|(name, _)| name == "realId") => {
            wrapper.push(("document".to_owned(), document));
            Node::Object(wrapper)
        }
        _ => document,
    }
}

#[cfg(test)]
mod tests;
