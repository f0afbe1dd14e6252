//! "Did you mean": the known setting or variable with the smallest edit distance.

use strsim::levenshtein;

use super::setting::{of_variable, settings};

/// Beginning of the variables that are ours.
const OURS: &str = "SAYSO_";

/// Largest edit distance at which a name is suggested.
const DISTANCE_MAX: usize = 3;

/// Error text for an unknown key, with a suggestion if there is one.
pub(super) fn not_a_setting(key: &str) -> String {
    match key_near(key) {
        Some(known) => format!("`{key}` is not a setting; did you mean `{known}`?"),
        None => {
            let all = "docs/reference/configuration.md and `sayso config` list them all";
            format!("`{key}` is not a setting; {all}")
        }
    }
}

/// The setting nearest to an unknown key, if one is near. The variable of a setting leads to its
/// key, too, and so does a key without its table.
fn key_near(key: &str) -> Option<&'static str> {
    if let Some((spec, _)) = of_variable(key) {
        return Some(spec.key);
    }
    let last = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
    let own = key.rsplit('.').next().unwrap_or(key);
    let near = settings().filter_map(|spec| {
        let (whole, name) = (levenshtein(key, spec.key), levenshtein(own, last(spec.key)));
        // Among equally near ones, the one whose table is nearer.
        (is_near(whole, key) || is_near(name, own)).then_some((whole.min(name), whole, spec.key))
    });
    near.min().map(|(_, _, key)| key)
}

/// Variables that are ours and not settings.
const OTHERS: [&str; 2] = ["SAYSO_CONFIG", "SAYSO_STORE_SECRET_FILE"];

/// Error text for an unknown variable that is nearly one of ours.
pub(super) fn misspelt(name: &str) -> Option<String> {
    // Other names of ours are for tests.
    let is_other = OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other));
    if is_other || !name.to_ascii_uppercase().starts_with(OURS) {
        return None;
    }
    let known = variable_near(name)?;
    Some(format!("this variable is not a setting; did you mean {known}?"))
}

/// The variable nearest to an unknown name, if one is near.
fn variable_near(name: &str) -> Option<&'static str> {
    let known = settings().flat_map(|spec| spec.variables).copied().chain(OTHERS);
    let near = known.map(|known| (levenshtein(&name.to_ascii_uppercase(), known), known)).min()?;
    // The beginning that all have says nothing about which one was meant.
    is_near(near.0, name.get(OURS.len()..).unwrap_or(name)).then_some(near.1)
}

fn is_near(distance: usize, name: &str) -> bool {
    distance <= DISTANCE_MAX.min(name.chars().count() / 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_none_leads_to_the_one_that_was_meant() {
        for (key, meant) in [
            ("adress", Some("address")),
            ("app.pasword", Some("app.password")),
            ("password", Some("app.password")),
            ("app.store", Some("store")),
            ("app.tenat", Some("app.tenant")),
            ("cloud.log", Some("cloud.login")),
            ("limits.dead-line", Some("limits.deadline")),
            ("limits.round-max", Some("limits.rounds-max")),
            ("ttl.conversations", Some("ttl.conversation")),
            ("limits.rounds_max", Some("limits.rounds-max")),
            ("MicrosoftAppId", Some("app.id")),
            ("MICROSOFTAPPPASSWORD", Some("app.password")),
            ("entirely-different", None),
            ("x", None),
        ] {
            assert_eq!(key_near(key), meant, "{key}");
        }
        assert_eq!(variable_near("SAYSO_ADRESS"), Some("SAYSO_ADDRESS"));
        assert_eq!(variable_near("SAYSO_DIALOG_SEEDS"), None);
        assert_eq!(misspelt("SAYSO_CONFIG"), None);
        assert_eq!(misspelt("sayso_store_secret_file"), None);
        assert_eq!(misspelt("STORE"), None);
        let meant = |name: &str| misspelt(name).unwrap();
        assert!(meant("SAYSO_STORES").ends_with("did you mean SAYSO_STORE?"));
        assert!(meant("SAYSO_LOGS").ends_with("did you mean SAYSO_LOG?"));
        assert!(meant("SAYSO_CONFG").ends_with("did you mean SAYSO_CONFIG?"));
    }
}
