//! Compact lists and sets of small numbers, each in one machine word: a state must be cheap to copy
//! and to hash.

use std::fmt;

/// Up to 16 numbers below 15, in order.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Seq(u64);

impl Seq {
    /// Adds a number at the end.
    pub fn push(&mut self, item: u8) {
        let len = self.iter().count();
        assert!(len < 16 && item < 15, "a list of the model is too small for its bound");
        self.0 |= (u64::from(item) + 1) << (4 * len);
    }

    /// The numbers, in order.
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
        let nibbles = (0..16).map(move |at| (self.0 >> (4 * at)) & 15);
        nibbles.take_while(|nibble| *nibble != 0).map(|nibble| nibble as u8 - 1)
    }

    /// Reports whether the number is in the list.
    #[must_use]
    pub fn contains(self, item: u8) -> bool {
        self.iter().any(|known| known == item)
    }

    /// Position of the first occurrence of the number.
    #[must_use]
    pub fn position(self, item: u8) -> Option<usize> {
        self.iter().position(|known| known == item)
    }

    /// Reports whether there is nothing in the list.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The list as a number, four bits for each member, with members renamed. Others stay as they
    /// are.
    #[must_use]
    pub fn code(self, names: &[u8]) -> u64 {
        let (mut code, mut at, mut rest) = (0, 0, self.0);
        while rest != 0 {
            let item = (rest & 15) as usize - 1;
            let name = names.get(item).map_or(item as u64, |name| u64::from(*name));
            code |= (name + 1) << at;
            (at, rest) = (at + 4, rest >> 4);
        }
        code
    }

    /// The list without some of its numbers.
    #[must_use]
    pub fn without(self, gone: Set) -> Self {
        self.iter().filter(|item| !gone.contains(*item)).collect()
    }
}

impl FromIterator<u8> for Seq {
    fn from_iter<I: IntoIterator<Item = u8>>(items: I) -> Self {
        let mut list = Self::default();
        items.into_iter().for_each(|item| list.push(item));
        list
    }
}

impl fmt::Debug for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A set of numbers below 8.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Set(u8);

impl Set {
    /// Adds a number; says whether it was new.
    pub fn insert(&mut self, item: u8) -> bool {
        let is_new = !self.contains(item);
        self.0 |= 1 << item;
        is_new
    }

    /// Removes a number.
    pub fn remove(&mut self, item: u8) {
        self.0 &= !(1 << item);
    }

    /// Reports whether the number is in the set.
    #[must_use]
    pub fn contains(self, item: u8) -> bool {
        self.0 & (1 << item) != 0
    }

    /// The numbers, the smallest first.
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
        (0..8).filter(move |item| self.contains(*item))
    }

    /// Reports whether there is nothing in the set.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as a number, one bit for each member, with members renamed. There are no others.
    #[must_use]
    pub fn code(self, names: &[u8]) -> u8 {
        let names = names.iter().enumerate();
        names.fold(0, |code, (item, name)| code | ((self.0 >> item) & 1) << name)
    }

    /// Intersection of two sets.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Union of two sets.
    #[must_use]
    pub fn either(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<u8> for Set {
    fn from_iter<I: IntoIterator<Item = u8>>(items: I) -> Self {
        let mut set = Self::default();
        for item in items {
            set.insert(item);
        }
        set
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_order_and_repeats() {
        let mut list: Seq = [2, 0, 2].into_iter().collect();
        list.push(5);
        assert_eq!(list.iter().collect::<Vec<_>>(), [2, 0, 2, 5]);
        assert_eq!((list.position(2), list.position(1)), (Some(0), None));
        let gone = [2].into_iter().collect();
        assert_eq!(list.without(gone).iter().collect::<Vec<_>>(), [0, 5]);
        assert!(Seq::default().is_empty() && !list.is_empty());
    }

    #[test]
    fn a_set_has_each_number_once() {
        let mut set = Set::default();
        assert!(set.insert(3) && !set.insert(3) && set.insert(0));
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3]);
        set.remove(3);
        assert_eq!(set, [0].into_iter().collect());
    }
}
