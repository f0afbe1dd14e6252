//! Checks of the names for the fuzz target `names`.

use super::names::Names;
use crate::fuzz::pair::Pair;

pub(crate) fn names(keys: &Pair) {
    let names = Names::new("sayso");
    for key in keys.each() {
        assert_eq!(names.key_of(names.document(key).as_bytes()).as_ref(), Some(key));
    }
    keys.check_distinct(|key| names.document(key));
}
