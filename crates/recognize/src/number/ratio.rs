//! Exact fractions, so that "two thirds of a million" and "2.33 thousand" lose nothing on the way.

use super::value::{Kind, Number};

/// A fraction; what does not fit is `None`, never a wrong number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    over: i128,
    under: i128,
}

impl Ratio {
    pub(super) const ZERO: Self = Self::whole(0);

    pub(super) const fn whole(over: i128) -> Self {
        Self { over, under: 1 }
    }

    pub(super) fn new(over: i128, under: i128) -> Option<Self> {
        (under > 0).then_some(Self { over, under })
    }

    pub(super) fn plus(self, other: Self) -> Option<Self> {
        if self.under == other.under {
            return Some(Self { over: self.over.checked_add(other.over)?, ..self });
        }
        let left = self.over.checked_mul(other.under)?;
        let right = other.over.checked_mul(self.under)?;
        Self::new(left.checked_add(right)?, self.under.checked_mul(other.under)?)
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { over: other.over.checked_neg()?, ..other })
    }

    pub(super) fn times(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.over)?;
        Self::new(over, self.under.checked_mul(other.under)?)
    }

    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        let over = self.over.checked_mul(other.under)?;
        Self::new(over, self.under.checked_mul(other.over)?)
    }

    pub(super) fn is_zero(self) -> bool {
        self.over == 0
    }

    /// The whole number that it is, if it is one.
    pub(super) fn integer(self) -> Option<i128> {
        (self.over.checked_rem(self.under) == Some(0)).then(|| self.over / self.under)
    }

    pub(super) fn is_below(self, limit: i128) -> bool {
        self.under.checked_mul(limit).is_some_and(|limit| self.over < limit)
    }

    pub(super) fn is_at_most(self, other: Self) -> bool {
        match (self.over.checked_mul(other.under), other.over.checked_mul(self.under)) {
            (Some(left), Some(right)) => left <= right,
            _ => false,
        }
    }

    pub(super) fn number(self, kind: Kind) -> Option<Number> {
        match self.integer() {
            Some(whole) => Some(Number::whole(whole).with_kind(kind)),
            None => Number::new(self.over as f64 / self.under as f64, kind),
        }
    }

    pub(super) fn negative(self) -> Option<Self> {
        Some(Self { over: self.over.checked_neg()?, ..self })
    }
}

/// Ten to the power of `places`.
pub(super) fn power_of_ten(places: usize) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(places).ok()?)
}
