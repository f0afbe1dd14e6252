//! References by number: Python's jsonpickle writes an object once, and `{"py/id": 12}` where it
//! comes again.
//!
//! The numbers count the objects and lists before them, so a document that refers by number can
//! hardly be changed. Most references are to members of enumerations (the type of every further
//! message) and to decimals. These never change, so that a copy is as good as the original, and the
//! references are replaced by copies here. So are those to messages, which nobody changes once they
//! are asked. References to other objects mean that a change to one is a change to the other; they
//! stay.

use super::{Members, Node};

/// The limit on copied parts: more than this are not copies of a few messages.
const COPIED_MAX: usize = 5_000;

const REFERENCE: &str = "py/id";

/// Type of the objects that may be replaced by copies.
const MESSAGE: &str = "botbuilder.schema._models_py3.Activity";

/// Replaces the references to values by the values, and numbers the others anew.
pub(super) fn follow(node: &mut Node) {
    if !has_reference(node) {
        return;
    }
    let mut walk = Walk::default();
    if let Some(whole) = walk.copy(node)
        && walk.copied > 0
    {
        *node = whole;
    }
}

/// The type and the arguments of a value that is written as a call.
pub(super) fn called(node: &Node) -> Option<(String, &[Node])> {
    let (kind, arguments) = match member(node, "py/reduce")? {
        // Older versions write all five parts of a call.
        Node::List(parts) => match parts.as_slice() {
            [kind, arguments, rest @ ..] if rest.iter().all(is_null) => (kind, arguments),
            _ => return None,
        },
        _ => return None,
    };
    match member(arguments, "py/tuple")? {
        Node::List(items) => Some((member(kind, "py/type")?.as_text()?, items)),
        _ => None,
    }
}

/// The only member of an object.
fn member<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    match node {
        Node::Object(members) => match members.as_slice() {
            [(own, value)] if own == name => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn has_reference(node: &Node) -> bool {
    match node {
        Node::Leaf(_) => false,
        Node::List(items) => items.iter().any(has_reference),
        Node::Object(members) => {
            members.iter().any(|(name, value)| name == REFERENCE || has_reference(value))
        }
    }
}

fn is_null(node: &Node) -> bool {
    matches!(node, Node::Leaf(raw) if raw == "null")
}

/// A part of the document that a number refers to.
#[derive(Debug)]
struct Part {
    /// Its number in the new document.
    number: usize,
    /// It, if it may be copied.
    copy: Option<Node>,
}

/// Depth-first walk in the order in which jsonpickle counts.
#[derive(Debug, Default)]
struct Walk {
    parts: Vec<Part>,
    /// Parts of the new document so far.
    count: usize,
    /// Parts that replace a reference.
    copied: usize,
}

impl Walk {
    /// A copy of the value with its references resolved; `None` where the counting is not known.
    fn copy(&mut self, node: &Node) -> Option<Node> {
        match node {
            Node::Leaf(_) => Some(node.clone()),
            Node::List(items) => {
                self.part();
                self.copy_all(items).map(Node::List)
            }
            Node::Object(members) => self.copy_object(node, members),
        }
    }

    fn copy_all(&mut self, items: &[Node]) -> Option<Vec<Node>> {
        items.iter().map(|item| self.copy(item)).collect()
    }

    fn copy_object(&mut self, node: &Node, members: &Members) -> Option<Node> {
        let mut special = members.iter().filter(|(name, _)| name.starts_with("py/"));
        let first = special.next().map(|(name, value)| (name.as_str(), value));
        if special.next().is_some() {
            return None;
        }
        match (first, members.len()) {
            (None, _) => {
                self.part();
                self.copy_members(members)
            }
            (Some(("py/object", kind)), _) => {
                let at = self.part();
                // Some classes have a way of their own, in which less is counted.
                if members.iter().any(|(name, _)| name.starts_with("__")) {
                    return None;
                }
                let copy = self.copy_members(members)?;
                let is_message = kind.as_text().is_some_and(|kind| kind == MESSAGE);
                if is_message && !has_reference(&copy) {
                    self.parts.get_mut(at)?.copy = Some(copy.clone());
                }
                Some(copy)
            }
            (Some(("py/reduce", Node::List(parts))), 1) => {
                let at = self.part();
                let copy =
                    Node::Object(vec![("py/reduce".to_owned(), Node::List(self.copy_all(parts)?))]);
                if is_value(&copy) {
                    self.parts.get_mut(at)?.copy = Some(copy.clone());
                }
                Some(copy)
            }
            (Some((name @ ("py/tuple" | "py/set"), Node::List(items))), 1) => {
                let items = Node::List(self.copy_all(items)?);
                Some(Node::Object(vec![(name.to_owned(), items)]))
            }
            (Some(("py/type" | "py/function" | "py/b64" | "py/b85", Node::Leaf(_))), 1) => {
                Some(node.clone())
            }
            (Some((REFERENCE, Node::Leaf(number))), 1) => self.copy_reference(number),
            _ => None,
        }
    }

    fn copy_members(&mut self, members: &Members) -> Option<Node> {
        let copies = members.iter().map(|(name, value)| Some((name.clone(), self.copy(value)?)));
        copies.collect::<Option<Members>>().map(Node::Object)
    }

    fn copy_reference(&mut self, number: &str) -> Option<Node> {
        let part = self.parts.get(number.parse::<usize>().ok()?)?;
        let Some(copy) = part.copy.clone() else {
            let number = Node::Leaf(part.number.to_string());
            return Some(Node::Object(vec![(REFERENCE.to_owned(), number)]));
        };
        let parts = count(&copy);
        self.count += parts;
        self.copied += parts;
        (self.copied <= COPIED_MAX).then_some(copy)
    }

    /// Counts a part and returns its number in the old document.
    fn part(&mut self) -> usize {
        let (at, number) = (self.parts.len(), self.count);
        self.parts.push(Part { number, copy: None });
        self.count += 1;
        at
    }
}

/// True if a value that is written as a call never changes.
fn is_value(node: &Node) -> bool {
    called(node).is_some_and(|(kind, arguments)| {
        // What the SDK itself writes so are enumerations.
        let is_known = kind == "decimal.Decimal" || kind.starts_with("botbuilder.");
        is_known && arguments.iter().all(|argument| matches!(argument, Node::Leaf(_)))
    })
}

/// Counts the parts of a copy, which holds no references itself.
fn count(node: &Node) -> usize {
    let mut walk = Walk::default();
    drop(walk.copy(node));
    walk.count
}
