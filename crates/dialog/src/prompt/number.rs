//! Number prompt: asks for a number of any numeric type.

use std::{fmt, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};

use super::{Inbound, Prompt, PromptOptions};
use crate::recognize::{Number, numbers, numbers_in_locale};

/// A type of number that can be asked for.
pub trait FromNumber: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// The number as this type, if it fits.
    fn from_number(number: &Number) -> Option<Self>;
}

macro_rules! whole {
    ($($Type:ty),*) => {$(
        impl FromNumber for $Type {
            fn from_number(number: &Number) -> Option<Self> {
                number.integer().and_then(|whole| Self::try_from(whole).ok())
            }
        }
    )*};
}

whole!(i8, i16, i32, i64, u8, u16, u32, u64, usize);

impl FromNumber for f64 {
    fn from_number(number: &Number) -> Option<Self> {
        Some(number.value())
    }
}

/// Asks for a number: the first one in the answer.
pub struct Count<T>(PhantomData<fn() -> T>);

impl<T: FromNumber> Prompt for Count<T> {
    type Value = T;

    const KIND: &'static str = "number";

    fn recognize(&self, inbound: &Inbound<'_>, _: &PromptOptions) -> Option<T> {
        // By the locale, not the language: in Mexico 1,234 is a thousand and more, in Spain it is
        // one.
        let found = numbers_in_locale(inbound.text(), inbound.locale);
        let found = found.unwrap_or_else(|| numbers(inbound.text(), inbound.language()));
        T::from_number(&found.first()?.value)
    }
}

impl<T> Default for Count<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T> fmt::Debug for Count<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Count<{}>", std::any::type_name::<T>())
    }
}
