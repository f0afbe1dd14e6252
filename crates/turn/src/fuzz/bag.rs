//! Fuzz property of bags: unchanged properties keep their exact text.

use sayso_activity::Raw;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Members;
use crate::{Bag, Key, Property, State, document::RESERVED};

/// Parses a bag, changes some properties, and checks that only those differ.
pub fn bag(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Ok(bag) = Bag::from_json(text) else { return };
    let members: Members = serde_json::from_str(text).expect("a bag is an object");
    assert_eq!(bag.iter().count(), members.len(), "a property was lost");
    for (name, raw) in bag.iter() {
        assert_eq!(members.get(name).map(|raw| raw.get()), Some(raw.as_str()));
    }
    let written = bag.to_json();
    assert_eq!(Bag::from_json(&written).expect("what is written can be read"), bag);

    set_and_removed(&bag);
    opened_and_left_alone(&bag);
    opened_and_changed(&bag);
}

/// A type that knows one member of an object and drops the others when it is written.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Narrow {
    #[serde(default)]
    count: u64,
}

/// Checks that setting, removing and adding properties works as on a list of pairs.
fn set_and_removed(before: &Bag) {
    let mut bag = before.clone();
    let mut pairs: Vec<(String, Raw)> =
        bag.iter().map(|(name, raw)| (name.to_owned(), raw.clone())).collect();
    if let Some((name, raw)) = pairs.first_mut() {
        *raw = Raw::null();
        bag.set_raw(name, Raw::null());
    }
    if pairs.len() > 1 {
        let (name, raw) = pairs.remove(1);
        assert_eq!(bag.remove(&name), Some(raw));
        assert_eq!(bag.remove(&name), None);
    }
    let name = before.iter().map(|(name, _)| name).collect::<String>() + "new";
    bag.set_raw(&name, Raw::null());
    pairs.push((name, Raw::null()));
    assert!(bag.iter().eq(pairs.iter().map(|(name, raw)| (name.as_str(), raw))), "{bag:?}");
}

/// Checks that reading a property as a type that drops members does not lose them.
fn opened_and_left_alone(bag: &Bag) {
    let mut state = state(bag);
    for (index, (name, _)) in bag.iter().enumerate() {
        match index % 3 {
            0 => open::<Narrow>(&mut state, name),
            1 => open::<Vec<f64>>(&mut state, name),
            _ => open::<Value>(&mut state, name),
        }
    }
    let (_, after) = state.close().expect("what was read can be written");
    assert_eq!(after.to_json(), bag.to_json(), "a property changed that nobody changed");
}

fn opened_and_changed(bag: &Bag) {
    for (name, _) in bag.iter() {
        let mut state = state(bag);
        let Ok(narrow) = state.named::<Narrow>(name) else { continue };
        narrow.count ^= 1;
        let wanted = narrow.count;
        let (_, after) = state.close().expect("what was read can be written");
        let read: Option<Narrow> = after.get(name).expect("it has its shape");
        assert_eq!(read.map(|narrow| narrow.count), Some(wanted));
        let others = |bag: &Bag| {
            let mut others = bag.clone();
            drop(others.remove(name));
            others.to_json()
        };
        assert_eq!(others(&after), others(bag), "another property changed");
    }
}

/// Opens a property; one of another shape is refused and kept.
fn open<T: Property>(state: &mut State, name: &str) {
    let is_open = state.named::<T>(name).is_ok();
    let is_reserved = name.is_empty() || name == RESERVED;
    assert!(!(is_open && is_reserved), "a reserved name was opened");
}

fn state(bag: &Bag) -> State {
    State::new(Key::new("k").expect("a key of one letter"), bag.clone())
}
