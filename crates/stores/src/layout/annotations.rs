//! Type annotations in a document: .NET writes `$type`, Python `py/object`.
//!
//! They are of no use to us and in the way of lists, but the SDK needs them back. So they are taken
//! out, noted beside the document by place and shape, and put back where place and shape are still
//! the same (or the whole value, where two types have one shape). Such names that come from
//! elsewhere, perhaps from a user's message, are never written: the SDK would make an object of
//! whatever type they name. The exception is a short list of names (see [`known`]) that a stack of
//! dialogs is written with.

mod known;
mod notes;
mod references;

pub(super) use self::notes::Notes;
use self::{
    known::Known,
    notes::{Taken, hash, inside, kept, noted},
};
use super::node::{Members, Node, take};

/// The annotations of an SDK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Members that name types; they are taken out and put back.
    types: &'static [&'static str],
    /// The member that holds the items of an annotated list.
    items: Option<&'static str>,
    /// Recognises the member names that have a meaning to the SDK.
    is_special: fn(&str) -> bool,
    /// Those names, for error messages.
    special: &'static str,
    /// The member that refers to another object by its number.
    reference: Option<&'static str>,
    /// The names that may be written though they were not noted.
    known: Known,
}

/// Newtonsoft's JSON with type names, and the two-part ones of the Agents SDK.
pub(super) const DOTNET: Style = Style {
    types: &["$type", "$typeAssembly", "$collectionType", "$collectionTypeAssembly"],
    items: Some("$values"),
    is_special: |name| {
        DOTNET.types.contains(&name) || ["$values", "$value", "$id", "$ref"].contains(&name)
    },
    special: "`$type`, `$values`, `$id` or `$ref`",
    reference: None,
    known: known::DOTNET,
};

/// Python's jsonpickle.
pub(super) const PYTHON: Style = Style {
    types: &["py/object"],
    items: None,
    is_special: |name| name.starts_with("py/") || name.starts_with("json://"),
    special: "`py/...` or `json://...`",
    reference: Some("py/id"),
    known: known::PYTHON,
};

/// Note of the document's structure that numbered references count.
const REFERENCES: &str = "#references";

const RENUMBERED: &str = "the document refers to parts of itself by number (`py/id`), and after \
     this change the numbers would mean other parts";

impl Style {
    /// Takes the type annotations out of a document.
    pub(super) fn take_out(self, node: &mut Node) -> Notes {
        let mut notes = Notes::default();
        if self.reference.is_some() {
            references::follow(node);
        }
        if let Some(skeleton) = self.skeleton(node) {
            notes.set(REFERENCES, Node::text(&skeleton));
        }
        let mut taken = Vec::new();
        self.take_at(node, "", &mut notes, &mut taken);
        notes.put(taken);
        notes
    }

    fn take_at(self, node: &mut Node, place: &str, notes: &mut Notes, taken: &mut Vec<Taken>) {
        let types = self.types_of(node);
        match node {
            Node::Leaf(_) => {}
            Node::List(items) => {
                let place = format!("{place}/*");
                items.iter_mut().for_each(|item| self.take_at(item, &place, notes, taken));
            }
            Node::Object(members) => {
                for (name, value) in members {
                    if (self.is_special)(name) {
                        notes.keep(&kept(place, name));
                    }
                    self.take_at(value, &inside(place, name), notes, taken);
                }
            }
        }
        if !types.is_empty() {
            let (place, content) = (noted(place, node, &types), hash(&node.print()));
            taken.push(Taken { place, content, types });
        }
    }

    /// Takes the type annotations out of one value; a wrapper of a list becomes the list.
    fn types_of(self, node: &mut Node) -> Members {
        let Node::Object(members) = node else { return Members::new() };
        let names = self.types.iter();
        let types: Members = names
            .filter_map(|name| take_text(members, name).map(|kind| ((*name).to_owned(), kind)))
            .collect();
        let items = self.items.filter(|_| !types.is_empty());
        match items.and_then(|items| take(members, items)) {
            Some(Node::List(items)) => *node = Node::List(items),
            Some(other) => members.push((self.items.unwrap_or_default().to_owned(), other)),
            None => {}
        }
        types
    }

    /// Puts the type annotations back; the error says what the SDK must not get to read.
    pub(super) fn put_back(self, node: &mut Node, notes: &Notes) -> Result<(), String> {
        let references = notes.get(REFERENCES).and_then(Node::as_text);
        if references.is_some() && references != self.skeleton(node) {
            return Err(RENUMBERED.to_owned());
        }
        self.put_at(node, "", notes)
    }

    fn put_at(self, node: &mut Node, place: &str, notes: &Notes) -> Result<(), String> {
        if self.known.is_value(node) {
            return Ok(());
        }
        let given = self.known.given(node);
        let types = notes.types_for(node, place).filter(|_| given.is_empty());
        match node {
            Node::Leaf(_) => {}
            Node::List(items) => self.put_in(items, place, notes)?,
            Node::Object(members) => {
                for (name, value) in members {
                    if given.contains(&name.as_str()) {
                        // The items of a list have the place that they had without its name.
                        if let Node::List(items) = value {
                            self.put_in(items, place, notes)?;
                        }
                        continue;
                    }
                    if (self.is_special)(name) && notes.get(&kept(place, name)).is_none() {
                        return Err(format!(
                            "a property has a member named {}, which the SDK would take for an \
                             instruction to make an object; rename it",
                            self.special
                        ));
                    }
                    self.put_at(value, &inside(place, name), notes)?;
                }
            }
        }
        if let Some(mut types) = types {
            match node {
                Node::Leaf(_) => {}
                Node::Object(members) => {
                    types.append(members);
                    *node = Node::Object(types);
                }
                Node::List(items) => {
                    let items = Node::List(std::mem::take(items));
                    types.push((self.items.unwrap_or_default().to_owned(), items));
                    *node = Node::Object(types);
                }
            }
        }
        Ok(())
    }

    fn put_in(self, items: &mut [Node], place: &str, notes: &Notes) -> Result<(), String> {
        let place = format!("{place}/*");
        items.iter_mut().try_for_each(|item| self.put_at(item, &place, notes))
    }

    /// The structure that numbered references count: objects, lists and their names, up to the last
    /// reference. `None` when there is no reference.
    fn skeleton(self, node: &Node) -> Option<String> {
        let reference = self.reference?;
        let (mut sequence, mut end) = (String::new(), None);
        walk("", node, &mut |name, node| match node {
            Node::Leaf(_) => {}
            Node::List(_) => sequence.extend([name, "\n["]),
            Node::Object(members) if members.iter().any(|(name, _)| name == reference) => {
                end = Some(sequence.len());
            }
            Node::Object(_) => sequence.extend([name, "\n{"]),
        });
        Some(hash(sequence.get(..end?)?))
    }
}

fn walk<'a>(name: &'a str, node: &'a Node, visit: &mut impl FnMut(&'a str, &'a Node)) {
    visit(name, node);
    match node {
        Node::Leaf(_) => {}
        Node::List(items) => items.iter().for_each(|item| walk("", item, visit)),
        Node::Object(members) => {
            members.iter().for_each(|(name, value)| walk(name, value, visit));
        }
    }
}

/// Takes a member out if it is a text.
fn take_text(members: &mut Members, name: &str) -> Option<Node> {
    let is_text = |value: &Node| matches!(value, Node::Leaf(raw) if raw.starts_with('"'));
    let at = members.iter().position(|(own, value)| own == name && is_text(value))?;
    Some(members.remove(at).1)
}

#[cfg(test)]
mod tests;
