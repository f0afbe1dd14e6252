//! Checks of the names for the fuzz target `names`.

use super::names::{Named, Names, record, recorded};
use crate::{Layout, fuzz::pair::Pair};

pub(crate) fn names(keys: &Pair) {
    let ours = Names(Layout::Sayso);
    keys.check_distinct(|key| ours.name(key).expect("every key has a name"));
    for key in keys.each() {
        assert_eq!(recorded(&record(key)).as_ref(), Some(key));
        let name = ours.name(key).expect("every key has a name");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte);
        assert!(name.len() <= 1024 && name.bytes().all(is_plain), "{name}");
        match ours.key(&name) {
            Named::Key(read) => assert_eq!(&read, key),
            named => assert_eq!(named, Named::Recorded, "{name}"),
        }
    }
    for layout in [Layout::Sayso, Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample] {
        let names = Names(layout);
        for key in keys.each() {
            // Some keys have no name in the layout of an SDK.
            let Ok(name) = names.name(key) else { continue };
            let beginning = names.prefix(keys.beginning());
            assert!(name.starts_with(&beginning), "{layout}: {name:?} is not found");
            if let Named::Key(read) = names.key(&name) {
                assert_eq!(names.name(&read).as_ref(), Ok(&name), "{layout}: {read}");
            }
            assert_ne!(names.key(&name), Named::Foreign, "{layout}: {name:?}");
        }
    }
}
