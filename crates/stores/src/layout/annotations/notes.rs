//! Notes: the types taken out of a document, by the place and the shape of each value.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::super::node::{Members, Node};

/// Types taken out of a document, by place. They are kept as an object beside the document.
#[derive(Debug, Default)]
pub(in crate::layout) struct Notes {
    notes: BTreeMap<String, Node>,
    /// True if some notes are about whole values.
    has_contents: bool,
}

impl Notes {
    /// The notes as a value, if there are any.
    pub(in crate::layout) fn into_node(self) -> Option<Node> {
        let members = self.notes.into_iter().collect();
        Some(Node::Object(members)).filter(|node| *node != Node::Object(Members::new()))
    }

    pub(in crate::layout) fn from_node(node: Option<Node>) -> Self {
        match node {
            Some(Node::Object(members)) => {
                let has_contents = members.iter().any(|(place, _)| place.contains('='));
                Self { notes: members.into_iter().collect(), has_contents }
            }
            _ => Self::default(),
        }
    }

    /// Notes types by shape, and by content where several types have that shape.
    pub(super) fn put(&mut self, taken: Vec<Taken>) {
        let mut of_place: BTreeMap<&str, Option<&Members>> = BTreeMap::new();
        for Taken { place, types, .. } in &taken {
            let known = of_place.entry(place).or_insert(Some(types));
            *known = known.filter(|known| *known == types);
        }
        let is_clear: Vec<bool> = taken
            .iter()
            .map(|own| of_place.get(&*own.place).is_some_and(Option::is_some))
            .collect();
        for (Taken { place, content, types }, is_clear) in taken.into_iter().zip(is_clear) {
            let place = if is_clear { place } else { by_content(&place, &content) };
            let types = Node::Object(types);
            let note = self.notes.entry(place).or_insert_with(|| types.clone());
            if *note != types {
                *note = Node::Leaf("null".to_owned());
            }
        }
    }

    /// Notes that a special member was there and stays.
    pub(super) fn keep(&mut self, place: &str) {
        self.set(place, Node::Leaf("true".to_owned()));
    }

    pub(super) fn set(&mut self, place: &str, note: Node) {
        drop(self.notes.insert(place.to_owned(), note));
    }

    /// The types of a value at a place, if it still has the shape.
    pub(super) fn types_for(&self, node: &Node, place: &str) -> Option<Members> {
        let shaped = match node {
            Node::Leaf(_) => return None,
            Node::List(_) => vec![format!("{place}#[]")],
            Node::Object(members) => {
                vec![format!("{place}#{}", shape(members)), format!("{place}#{{}}")]
            }
        };
        let types = |place: &str| match self.get(place) {
            Some(Node::Object(types)) => Some(types.clone()),
            _ => None,
        };
        let content = || {
            // Worked out only where there are such notes at all.
            let content = self.has_contents.then(|| hash(&node.print()))?;
            shaped.iter().find_map(|place| types(&by_content(place, &content)))
        };
        shaped.iter().find_map(|place| types(place)).or_else(content)
    }

    pub(super) fn get(&self, place: &str) -> Option<&Node> {
        self.notes.get(place)
    }
}

/// Types that were taken out of a value.
#[derive(Debug)]
pub(super) struct Taken {
    /// Its place and its shape.
    pub(super) place: String,
    /// A hash of what is left of it.
    pub(super) content: String,
    pub(super) types: Members,
}

/// The key of a note: place and shape of the value. All items of a list have one place, so that an
/// item that moves or joins them finds its type by its shape.
pub(super) fn noted(place: &str, node: &Node, types: &Members) -> String {
    match node {
        Node::List(_) => format!("{place}#[]"),
        // A dictionary may have any members.
        _ if types
            .iter()
            .any(|(_, kind)| kind.as_text().is_some_and(|kind| is_dictionary(&kind))) =>
        {
            format!("{place}#{{}}")
        }
        Node::Object(members) => format!("{place}#{}", shape(members)),
        Node::Leaf(_) => place.to_owned(),
    }
}

fn is_dictionary(kind: &str) -> bool {
    kind.starts_with("System.Collections.")
}

fn by_content(place: &str, content: &str) -> String {
    format!("{place}={content}")
}

/// The place of a special member that was there and stays.
pub(super) fn kept(place: &str, name: &str) -> String {
    format!("{place}#!{name}")
}

pub(super) fn inside(place: &str, name: &str) -> String {
    let mut place = format!("{place}/");
    for letter in name.chars() {
        match "~/*#=".find(letter) {
            Some(index) => place.push_str(&format!("~{index}")),
            None => place.push(letter),
        }
    }
    place
}

/// The names of the members, whatever their order. Ours may have come later.
fn shape(members: &Members) -> String {
    let names = members.iter().map(|(name, _)| name.as_str());
    let mut names: Vec<&str> = names.filter(|name| *name != "$sayso").collect();
    names.sort_unstable();
    hash(&names.join("\n"))
}

pub(super) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
