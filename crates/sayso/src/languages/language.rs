//! One language: its texts as messages, ready to be said.

use std::sync::Arc;

use fluent_bundle::{FluentResource, concurrent::FluentBundle};
use unic_langid::LanguageIdentifier;

use super::error::TextsError;

/// A language with its texts.
pub(super) struct Language {
    pub(super) id: LanguageIdentifier,
    pub(super) bundle: FluentBundle<Arc<FluentResource>>,
    pub(super) resource: Arc<FluentResource>,
}

impl Language {
    pub(super) fn read(locale: &str, text: &str) -> Result<Self, TextsError> {
        let id: LanguageIdentifier =
            locale.parse().map_err(|_| TextsError::Locale { locale: locale.to_owned() })?;
        let resource = FluentResource::try_new(text.to_owned())
            .map_err(|(_, errors)| TextsError::syntax(locale, text, &errors))?;
        let resource = Arc::new(resource);
        let mut bundle = FluentBundle::new_concurrent(vec![id.clone()]);
        // Marks around each argument, for texts that run in both directions. Chats show them as
        // they are, or as boxes.
        bundle.set_use_isolating(false);
        bundle
            .add_resource(Arc::clone(&resource))
            .map_err(|errors| TextsError::overriding(locale, &errors))?;
        Ok(Self { id, bundle, resource })
    }
}
