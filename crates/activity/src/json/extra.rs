//! Members that have no typed field, in the order in which they came.
//!
//! A list rather than a map: an activity has a handful of them, and their order is worth keeping.

use crate::Raw;

/// Members without a typed field, each kept as it came and in order.
///
/// A typed member that came as `null` is here too, so that it is written back; it yields as soon as
/// the typed field is set.
///
/// # Example
///
/// ```
/// use sayso_activity::{Extra, Raw};
///
/// let mut extra = Extra::default();
/// extra.insert("importance", Raw::of("high")?);
/// assert_eq!(extra.get("importance").unwrap().as_str(), r#""high""#);
/// assert!(extra.get("topicName").is_none());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extra(Vec<(Box<str>, Raw)>);

impl Extra {
    /// The value of a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Raw> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Sets a member, in its old place or at the end, and returns the value it had.
    ///
    /// The name of a typed field is accepted, and ignored on writing while that field is set.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: Raw) -> Option<Raw> {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.0.push((name, value));
                None
            }
        }
    }

    /// Removes a member, and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Raw> {
        let index = self.0.iter().position(|(known, _)| &**known == name)?;
        Some(self.0.remove(index).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Raw)> + Clone {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a member without a check of its name; the reader calls [`Extra::repeated`] at the end.
    pub(crate) fn push(&mut self, name: Box<str>, value: Raw) {
        self.0.push((name, value));
    }

    /// A name that stands here twice, if there is one.
    ///
    /// A few names are compared pair by pair. More are sorted first, so that a body of a million
    /// members does not take quadratic time.
    pub(crate) fn repeated(&self) -> Option<&str> {
        if self.0.len() <= 8 {
            let mut rest = self.iter();
            while let Some((name, _)) = rest.next() {
                if rest.clone().any(|(other, _)| other == name) {
                    return Some(name);
                }
            }
            return None;
        }
        let mut names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names.array_windows().find(|[one, next]| one == next).map(|[name, _]| *name)
    }
}

impl<N: Into<Box<str>>> FromIterator<(N, Raw)> for Extra {
    fn from_iter<I: IntoIterator<Item = (N, Raw)>>(members: I) -> Self {
        let mut extra = Self::default();
        for (name, value) in members {
            extra.insert(name, value);
        }
        extra
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Extra;
    use crate::Raw;

    fn raw(value: serde_json::Value) -> Raw {
        Raw::from(value)
    }

    #[test]
    fn order_is_that_of_first_insertion() {
        let mut extra: Extra = [("b", raw(json!(1))), ("a", raw(json!(2)))].into_iter().collect();
        assert_eq!(extra.insert("b", raw(json!(3))), Some(raw(json!(1))));
        let names: Vec<_> = extra.iter().map(|(name, value)| (name, value.as_str())).collect();
        assert_eq!(names, [("b", "3"), ("a", "2")]);
    }

    #[test]
    fn a_removed_member_is_gone() {
        let mut extra: Extra = [("a", Raw::null())].into_iter().collect();
        assert_eq!(extra.remove("a"), Some(Raw::null()));
        assert_eq!(extra.remove("a"), None);
        assert!(extra.is_empty());
        assert_eq!(extra.len(), 0);
    }

    #[test]
    fn a_repeated_name_is_found() {
        let mut extra = Extra::default();
        for name in ["a", "b", "c"] {
            extra.push(name.into(), Raw::null());
        }
        assert_eq!(extra.repeated(), None);
        extra.push("b".into(), Raw::null());
        assert_eq!(extra.repeated(), Some("b"));
        for name in ["d", "e", "f", "g", "h", "i"] {
            extra.push(name.into(), Raw::null());
        }
        assert_eq!((extra.len(), extra.repeated()), (10, Some("b")));
    }
}
