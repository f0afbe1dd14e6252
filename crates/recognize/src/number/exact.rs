//! Decimal numbers kept exactly while a text is read.
//!
//! "4.78 万亿" is 4780000000000 and not almost that: an `f64` would show its rounding in the result.

use super::value::{Kind, Number};

/// The most digits that are kept; a longer row of digits is not a number.
const DIGITS_MAX: u32 = 36;

/// The most parts with units of their own in one number ("兆", "億", "万", and the hundreds).
const PARTS_MAX: usize = 8;

/// A decimal number: `digits` with the point `places` from the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exact {
    digits: i128,
    places: u32,
}

impl Exact {
    pub(super) const ZERO: Self = Self::whole(0);
    pub(super) const ONE: Self = Self::whole(1);

    pub(super) const fn whole(digits: i128) -> Self {
        Self { digits, places: 0 }
    }

    pub(super) const fn new(digits: i128, places: u32) -> Self {
        Self { digits, places }
    }

    pub(super) const fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(super) const fn is_whole(self) -> bool {
        self.places == 0
    }

    /// The number with one more digit before the point.
    pub(super) fn then(self, digit: u32) -> Option<Self> {
        let digits = self.digits.checked_mul(10)?.checked_add(i128::from(digit))?;
        (digits < 10_i128.pow(DIGITS_MAX)).then_some(Self { digits, places: self.places })
    }

    /// The number with one more digit after the point.
    pub(super) fn then_after_point(self, digit: u32) -> Option<Self> {
        let longer = self.then(digit)?;
        Some(Self { places: self.places.checked_add(1)?, ..longer })
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let places = self.places.max(other.places);
        let digits = self.digits_at(places)?.checked_add(other.digits_at(places)?)?;
        Some(Self { digits, places })
    }

    /// Moves the point to the right.
    pub(super) fn times_ten_to(self, exponent: u32) -> Option<Self> {
        let moved = exponent.min(self.places);
        let factor = 10_i128.checked_pow(exponent - moved)?;
        Some(Self { digits: self.digits.checked_mul(factor)?, places: self.places - moved })
    }

    /// Moves the point to the left.
    pub(super) fn over_ten_to(self, exponent: u32) -> Option<Self> {
        let places = self.places.checked_add(exponent)?;
        (places <= DIGITS_MAX).then_some(Self { places, ..self })
    }

    pub(super) fn times(self, factor: i128) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(factor)?, ..self })
    }

    pub(super) fn is_below_ten_to(self, exponent: u32) -> bool {
        Self::ONE.times_ten_to(exponent).is_some_and(|limit| self.to_f64() < limit.to_f64())
    }

    pub(super) fn to_f64(self) -> f64 {
        self.digits as f64 / 10_f64.powi(i32::try_from(self.places).unwrap_or(i32::MAX))
    }

    pub(super) fn negated_if(self, negative: bool) -> Self {
        if negative { Self { digits: -self.digits, ..self } } else { self }
    }

    /// The number as found: an integer if nothing was written after a point.
    pub(super) fn number(self) -> Option<Number> {
        if self.places == 0 {
            return Some(Number::whole(self.digits));
        }
        let factor = 10_i128.checked_pow(self.places)?;
        if self.digits % factor == 0 {
            return Some(Number::whole(self.digits / factor).with_kind(Kind::Decimal));
        }
        Number::new(self.to_f64(), Kind::Decimal)
    }

    fn digits_at(self, places: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(places - self.places)?)
    }
}

/// A number that grows part by part, each part with the unit that it was counted in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// From the largest unit to the smallest.
    parts: [(Exact, u32); PARTS_MAX],
    count: usize,
}

impl Sum {
    /// The unit of the last part, as a power of ten.
    pub(super) fn unit(&self) -> Option<u32> {
        self.parts().last().map(|(_, unit)| *unit)
    }

    /// Multiplies a coefficient by its unit and adds it. Returns `false` and leaves the sum as it
    /// is if the unit lacks a coefficient, repeats the last unit or makes the sum too large.
    ///
    /// Smaller parts that stand before a larger unit are counted in it too ("一万五千亿"). A unit right
    /// after another one multiplies it ("四万万").
    pub(super) fn count_in(&mut self, coefficient: Option<Exact>, unit: u32) -> bool {
        self.counted_in(coefficient, unit).map(|sum| *self = sum).is_some()
    }

    /// All parts and the rest that has no unit.
    pub(super) fn total(&self, rest: Exact) -> Option<Exact> {
        self.parts().iter().try_fold(rest, |total, (part, _)| total.plus(*part))
    }

    fn counted_in(&self, coefficient: Option<Exact>, unit: u32) -> Option<Self> {
        let larger = self.parts().iter().take_while(|(_, other)| *other >= unit).count();
        let smaller = self.parts().get(larger..)?;
        let mut kept = *self;
        kept.count = larger;
        if coefficient.is_none() && smaller.is_empty() {
            let (part, other) = kept.parts.get_mut(larger.checked_sub(1)?)?;
            *part = part.times_ten_to(unit)?;
            *other += unit;
            return Some(kept);
        }
        if kept.unit() == Some(unit) {
            return None;
        }
        let first = coefficient.unwrap_or(Exact::ZERO);
        let counted = smaller.iter().try_fold(first, |sum, (part, _)| sum.plus(*part))?;
        *kept.parts.get_mut(larger)? = (counted.times_ten_to(unit)?, unit);
        kept.count = larger + 1;
        Some(kept)
    }

    fn parts(&self) -> &[(Exact, u32)] {
        self.parts.get(..self.count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(sum: &Sum) -> String {
        sum.total(Exact::ZERO).unwrap().number().unwrap().to_string()
    }

    #[test]
    fn units_count_what_stands_before_them() {
        let mut sum = Sum::default();
        assert!(sum.count_in(Some(Exact::whole(3)), 4));
        assert!(sum.count_in(Some(Exact::whole(7)), 3));
        assert!(sum.count_in(None, 8), "37 thousand of hundreds of millions");
        assert_eq!(shown(&sum), "3700000000000");
    }

    #[test]
    fn a_unit_after_a_unit_multiplies() {
        let mut sum = Sum::default();
        assert!(sum.count_in(Some(Exact::whole(6)), 4));
        assert!(sum.count_in(None, 4));
        assert_eq!(shown(&sum), "600000000");
    }

    #[test]
    fn the_same_unit_twice_is_no_number() {
        let mut sum = Sum::default();
        assert!(sum.count_in(Some(Exact::whole(6)), 4));
        assert!(!sum.count_in(Some(Exact::whole(2)), 4));
        assert!(!Sum::default().count_in(None, 4), "a unit of nothing");
        assert_eq!(shown(&sum), "60000");
    }

    #[test]
    fn decimals_stay_exact() {
        let value = Exact::new(478, 2).times_ten_to(12).unwrap();
        assert_eq!(value.number().unwrap().to_string(), "4780000000000");
        assert_eq!(Exact::new(500, 2).number().unwrap().to_string(), "5");
        assert_eq!(Exact::new(-11, 1).number().unwrap().to_string(), "-1.1");
    }

    #[test]
    fn too_many_digits_are_refused_and_do_not_overflow() {
        let nines = (0..60).try_fold(Exact::ZERO, |number, _| number.then(9));
        assert_eq!(nines, None);
        assert_eq!(Exact::whole(5).times_ten_to(200), None);
        assert!(!Sum::default().count_in(Some(Exact::whole(9)), 60));
    }
}
