//! Differences between languages: what one lacks, and what nobody asks for.

use std::{collections::BTreeSet, fmt, sync::Arc};

use fluent_syntax::ast::Entry;

use super::language::Language;

/// A text that is in one language and not in the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The locale of the language.
    pub locale: String,
    /// The id of the text, with the attribute if it is one.
    pub id: String,
    /// The fallback language's locale if this text is in the language and not there.
    pub only_here: Option<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { locale, id, only_here } = self;
        match only_here {
            None => write!(f, "{locale} lacks `{id}`"),
            Some(fallback) => {
                write!(
                    f,
                    "{locale} has `{id}`, which the fallback language {fallback} does not have"
                )
            }
        }
    }
}

/// Compares every language with the fallback, which is the first.
pub(super) fn find(languages: &[Arc<Language>]) -> Vec<Missing> {
    let Some((fallback, others)) = languages.split_first() else { return Vec::new() };
    let all = ids(fallback);
    let mut missing = Vec::new();
    for language in others {
        let own = ids(language);
        let locale = language.id.to_string();
        let found =
            |id: &String, only_here| Missing { locale: locale.clone(), id: id.clone(), only_here };
        missing.extend(all.difference(&own).map(|id| found(id, None)));
        let fallback = fallback.id.to_string();
        missing.extend(own.difference(&all).map(|id| found(id, Some(fallback.clone()))));
    }
    missing
}

/// The ids of a language's texts. Terms are its own business.
fn ids(language: &Language) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for entry in language.resource.entries() {
        let Entry::Message(message) = entry else { continue };
        let id = message.id.name;
        if message.value.is_some() {
            ids.insert(id.to_owned());
        }
        ids.extend(message.attributes.iter().map(|part| format!("{id}.{}", part.id.name)));
    }
    ids
}
