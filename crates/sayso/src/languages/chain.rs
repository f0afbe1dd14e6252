//! Fallback chain: the languages that suit a locale, best first.

use unic_langid::LanguageIdentifier;

/// Regions that write Chinese in traditional characters.
const TRADITIONAL: [&str; 3] = ["HK", "MO", "TW"];

/// Indices of the known languages that suit a locale: the same one, then others of the same
/// language and script, then the fallback, which is the first. A script that a locale does not
/// name follows from its region, where that makes a difference that people cannot read over.
pub(super) fn of(locale: &str, known: &[&LanguageIdentifier]) -> Vec<usize> {
    let mut chain = Vec::new();
    // Some channels write `fr_FR`.
    if let Ok(wanted) = locale.replace('_', "-").parse::<LanguageIdentifier>() {
        let script = script(&wanted);
        let is_same_region = |id: &LanguageIdentifier| id.region == wanted.region;
        let suits: Vec<usize> = (0..known.len())
            .filter(|index| {
                known
                    .get(*index)
                    .is_some_and(|id| id.language == wanted.language && self::script(id) == script)
            })
            .collect();
        let rank = |index: &usize| match known.get(*index) {
            Some(id) if is_same_region(id) => 0,
            Some(id) if id.region.is_none() => 1,
            _ => 2,
        };
        chain.extend(suits);
        chain.sort_by_key(rank);
    }
    if !chain.contains(&0) {
        chain.push(0);
    }
    chain
}

/// The script that a locale is written in, where its language has several.
fn script(id: &LanguageIdentifier) -> Option<String> {
    if let Some(script) = id.script {
        return Some(script.as_str().to_owned());
    }
    let region = id.region.as_ref().map(|region| region.as_str());
    (id.language.as_str() == "zh").then(|| {
        let is_traditional = region.is_some_and(|region| TRADITIONAL.contains(&region));
        if is_traditional { "Hant" } else { "Hans" }.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_leads_to_its_language_and_then_to_the_fallback() {
        let known = ["en", "fr", "fr-CA", "zh-Hant", "ru", "pt-BR"];
        let ids: Vec<LanguageIdentifier> = known.iter().map(|id| id.parse().unwrap()).collect();
        let ids: Vec<&LanguageIdentifier> = ids.iter().collect();
        for (locale, expected) in [
            ("fr-CA", &["fr-CA", "fr", "en"][..]),
            ("fr-FR", &["fr", "fr-CA", "en"]),
            ("FR_fr", &["fr", "fr-CA", "en"]),
            ("fr", &["fr", "fr-CA", "en"]),
            ("zh-TW", &["zh-Hant", "en"]),
            ("zh-HK", &["zh-Hant", "en"]),
            ("zh-Hant-US", &["zh-Hant", "en"]),
            ("zh-CN", &["en"]),
            ("zh", &["en"]),
            ("pt-PT", &["pt-BR", "en"]),
            ("ru-RU", &["ru", "en"]),
            ("en-GB", &["en"]),
            ("tlh", &["en"]),
            ("not a locale", &["en"]),
            ("", &["en"]),
        ] {
            let found: Vec<&str> = of(locale, &ids).into_iter().map(|index| known[index]).collect();
            assert_eq!(found, expected, "{locale}");
        }
    }
}
