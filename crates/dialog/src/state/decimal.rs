//! Decimals of the Python SDK as JSON numbers.

use serde_json::Number;

/// The member of an instance that notes which numbers were decimals, to write them back as such.
pub(super) const DECIMALS: &str = "$decimals";

/// Whole numbers up to here are exact in a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The JSON number equal to a decimal, or the nearest one; `None` if JSON has none.
pub(super) fn number(digits: &str) -> Option<Number> {
    if let Ok(whole) = digits.parse::<i64>() {
        return Some(whole.into());
    }
    let number = digits.parse::<f64>().ok().filter(|number| number.is_finite())?;
    if number.fract() == 0.0 && number.abs() < EXACT_MAX {
        // `1E+2` is a whole number too.
        return format!("{number:.0}").parse::<i64>().ok().map(Into::into);
    }
    Number::from_f64(number)
}
