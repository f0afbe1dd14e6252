//! Checks of the names for the fuzz target `names`.

use super::names::Names;
use crate::{Layout, fuzz::pair::Pair};

pub(crate) fn names(keys: &Pair) {
    for layout in [Layout::Sayso, Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample] {
        let names = Names::new(layout);
        for key in keys.each() {
            let real_id = names.real_id(key);
            assert_eq!(names.key(&real_id).as_ref(), Some(key), "{layout}");
            // What Cosmos takes: at most 1023 bytes, and none of these.
            let id = names.id(&real_id).text;
            assert!((1..=1023).contains(&id.len()), "{layout}: an id of {} bytes", id.len());
            assert!(!id.contains(['/', '\\', '?', '#']), "{layout}: {id:?}");
        }
    }
    let ours = Names::new(Layout::Sayso);
    keys.check_distinct(|key| ours.id(&ours.real_id(key)).text);
    for key in keys.each() {
        let id = ours.id(&ours.real_id(key)).text;
        assert!(
            !id.contains(|letter: char| letter.is_ascii_control()) && id != "." && id != "..",
            "{id:?}"
        );
        assert!(id.starts_with(&ours.id_prefix(keys.beginning())), "{id:?} is not found");
    }
}
