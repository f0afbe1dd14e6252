//! What somebody may have meant: the known name that a text is nearest to.

use super::setting::{SETTINGS, of_variable};

/// How many letters may differ for a name to be a guess.
const DISTANCE_MAX: usize = 3;

/// A sentence about a key that is none.
pub(super) fn not_a_setting(key: &str) -> String {
    match key_near(key) {
        Some(known) => format!("`{key}` is not a setting; did you mean `{known}`?"),
        None => format!("`{key}` is not a setting; `sayso config` lists them all"),
    }
}

/// The key of the setting that was meant, if one is near. The name in the environment is a good
/// guess too, and so is a key without its table.
fn key_near(key: &str) -> Option<&'static str> {
    if let Some((spec, _)) = of_variable(key) {
        return Some(spec.key);
    }
    let last = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
    let own = key.rsplit('.').next().unwrap_or(key);
    let near = SETTINGS.iter().filter_map(|spec| {
        let (whole, name) = (distance(key, spec.key), distance(own, last(spec.key)));
        // The nearest counts; among equals it is the one whose table is nearer.
        (is_near(whole, key) || is_near(name, own)).then_some((whole.min(name), whole, spec.key))
    });
    near.min().map(|(_, _, key)| key)
}

/// The variable that a name is nearest to, if it is near and not the same.
pub(super) fn variable_near(name: &str) -> Option<&'static str> {
    let known = SETTINGS.iter().flat_map(|spec| spec.variables).copied();
    let near = known.map(|known| (distance(&name.to_ascii_uppercase(), known), known)).min()?;
    is_near(near.0, name).then_some(near.1)
}

fn is_near(distance: usize, name: &str) -> bool {
    distance <= DISTANCE_MAX.min(name.chars().count() / 3)
}

/// How many letters must be added, left out or changed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        let mut next = vec![left];
        for (target, old) in other.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(letter != *target)).min(left + 1).min(old + 1);
            diagonal = *old;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_number_of_letters_to_change() {
        for (one, other, letters) in
            [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("adress", "address", 1)]
        {
            assert_eq!((distance(one, other), distance(other, one)), (letters, letters));
        }
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn a_key_that_is_none_leads_to_the_one_that_was_meant() {
        for (key, meant) in [
            ("adress", Some("address")),
            ("app.pasword", Some("app.password")),
            ("password", Some("app.password")),
            ("app.store", Some("store")),
            ("app.tenat", Some("app.tenant")),
            ("cloud.log", Some("cloud.login")),
            ("MicrosoftAppId", Some("app.id")),
            ("MICROSOFTAPPPASSWORD", Some("app.password")),
            ("entirely-different", None),
            ("x", None),
        ] {
            assert_eq!(key_near(key), meant, "{key}");
        }
        assert_eq!(variable_near("SAYSO_ADRESS"), Some("SAYSO_ADDRESS"));
        assert_eq!(variable_near("SAYSO_DIALOG_SEEDS"), None);
    }
}
