//! Localisation: texts in the language of the user, as messages of Mozilla's
//! [Fluent](https://projectfluent.org).
//!
//! A language is a text in Fluent's own format, with plurals and genders as the language has them.
//! A user's locale leads to a chain of languages: its own, then the same without the region, then
//! the one that has every text. So a text that is not translated yet is said in the fallback
//! language, and a test finds it: [`Texts::missing`].
//!
//! ```
//! use sayso::{languages::Texts, prelude::*, testing::chat};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result {
//! let texts = Texts::new("en", "
//! order = { $count ->
//!     [one] One pizza.
//!    *[other] { $count } pizzas.
//! }
//! ")?.with("ru", "
//! order = { $count ->
//!     [one] { $count } пицца.
//!     [few] { $count } пиццы.
//!    *[many] { $count } пицц.
//! }
//! ")?;
//! assert!(texts.missing().is_empty());
//!
//! let bot = Bot::new().on_message(move |mut turn: Turn| {
//!     let voice = texts.of(&turn);
//!     async move {
//!         let count: u32 = turn.text().parse()?;
//!         turn.say(voice.text("order").arg("count", count));
//!         Ok(())
//!     }
//! });
//! chat(bot)
//!     .user("2").expects("2 pizzas.")
//!     .in_locale("ru-RU").user("2").expects("2 пиццы.").user("5").expects("5 пицц.")
//!     .await;
//! # Ok(()) }
//! ```

mod chain;
mod error;
mod language;
mod missing;

use std::{borrow::Cow, fmt, sync::Arc};

use fluent_bundle::{FluentArgs, FluentValue};
use sayso_turn::Turn;
use unic_langid::LanguageIdentifier;

use self::language::Language;
pub use self::{error::TextsError, missing::Missing};

/// Texts of a bot in all its languages. Cloning it gives another handle.
///
/// # Example
/// ```
/// use sayso::languages::Texts;
///
/// let texts = Texts::new("en", "hello = Hello, { $name }!")?.with("fr", "hello = Bonjour, { $name} !")?;
/// let said = |locale| texts.in_locale(locale).text("hello").arg("name", "Ann").to_string();
/// assert_eq!(said("fr-CA"), "Bonjour, Ann !");
/// assert_eq!(said("de-DE"), "Hello, Ann!"); // nobody has translated it
/// # Ok::<(), sayso::languages::TextsError>(())
/// ```
#[derive(Clone)]
pub struct Texts {
    /// The first one is the fallback.
    languages: Arc<Vec<Arc<Language>>>,
}

impl Texts {
    /// Texts in the fallback language, which has all of them.
    ///
    /// # Errors
    /// When the locale is none, or the text is not Fluent, with its line.
    pub fn new(fallback: &str, text: &str) -> Result<Self, TextsError> {
        Ok(Self { languages: Arc::new(vec![Arc::new(Language::read(fallback, text)?)]) })
    }

    /// Adds a language.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the language is there already.
    pub fn with(self, locale: &str, text: &str) -> Result<Self, TextsError> {
        let language = Language::read(locale, text)?;
        if self.languages.iter().any(|known| known.id == language.id) {
            return Err(TextsError::Twice { locale: locale.to_owned() });
        }
        let mut languages = (*self.languages).clone();
        languages.push(Arc::new(language));
        Ok(Self { languages: Arc::new(languages) })
    }

    /// The voice for the user of a turn: the channel says their locale.
    #[must_use]
    pub fn of(&self, turn: &Turn) -> Voice {
        self.in_locale(locale(turn))
    }

    /// The voice for a locale, such as one that the user has chosen. For one that is none it is the
    /// fallback language.
    #[must_use]
    pub fn in_locale(&self, locale: &str) -> Voice {
        let known: Vec<&LanguageIdentifier> =
            self.languages.iter().map(|known| &known.id).collect();
        let chain = chain::of(locale, &known);
        let chain = chain.into_iter().filter_map(|index| self.languages.get(index)).cloned();
        Voice { chain: chain.collect() }
    }

    /// The locales of the languages, the fallback first.
    pub fn locales(&self) -> impl Iterator<Item = String> {
        self.languages.iter().map(|language| language.id.to_string())
    }

    /// Texts that a language lacks, and texts of it that the fallback language does not have. A
    /// test wants none:
    ///
    /// ```
    /// use sayso::languages::Texts;
    ///
    /// let texts = Texts::new("en", "yes = Yes\nno = No")?.with("fr", "yes = Oui\nnon = Non")?;
    /// let missing: Vec<String> = texts.missing().iter().map(ToString::to_string).collect();
    /// assert_eq!(missing, [
    ///     "fr lacks `no`",
    ///     "fr has `non`, which the fallback language en does not have",
    /// ]);
    /// # Ok::<(), sayso::languages::TextsError>(())
    /// ```
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        missing::find(&self.languages)
    }
}

/// The locale of the user of a turn, as the channel says it; empty if it says none.
///
/// A conversation keeps it, so that it goes on in the language in which it began:
/// `c.turn(|turn| Ok(locale(turn).to_owned()))?`.
#[must_use]
pub fn locale(turn: &Turn) -> &str {
    turn.activity().locale.as_deref().unwrap_or_default()
}

/// Texts in the languages of one user, best first. Cheap to make, for each turn.
#[derive(Clone)]
pub struct Voice {
    chain: Vec<Arc<Language>>,
}

impl Voice {
    /// A text by its id, or by `id.attribute`.
    #[must_use]
    pub fn text<'v>(&'v self, id: impl Into<Cow<'v, str>>) -> Text<'v> {
        Text { voice: self, id: id.into(), arguments: FluentArgs::new() }
    }

    /// The locale of the best language.
    #[must_use]
    pub fn locale(&self) -> String {
        self.chain.first().map(|language| language.id.to_string()).unwrap_or_default()
    }
}

/// A text with its arguments. It goes wherever a `String` goes that is made by `into`, such as
/// `turn.say(..)`; `to_string()` makes one.
///
/// An id that no language has is said as it is, and logged.
pub struct Text<'v> {
    voice: &'v Voice,
    id: Cow<'v, str>,
    arguments: FluentArgs<'v>,
}

impl<'v> Text<'v> {
    /// Sets an argument: a text or a number.
    #[must_use]
    pub fn arg(mut self, name: &'v str, value: impl Into<FluentValue<'v>>) -> Self {
        self.arguments.set(name, value);
        self
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, attribute) = match self.id.split_once('.') {
            Some((id, attribute)) => (id, Some(attribute)),
            None => (&*self.id, None),
        };
        for language in &self.voice.chain {
            let message = language.bundle.get_message(id);
            let pattern = message.and_then(|message| match attribute {
                None => message.value(),
                Some(name) => message.get_attribute(name).map(|attribute| attribute.value()),
            });
            let Some(pattern) = pattern else { continue };
            let mut errors = Vec::new();
            let said = language.bundle.format_pattern(pattern, Some(&self.arguments), &mut errors);
            if let Some(error) = errors.first() {
                let locale = language.id.to_string();
                tracing::warn!(text = &*self.id, locale, %error, "a text lacks something");
            }
            return f.write_str(&said);
        }
        tracing::warn!(text = &*self.id, "no language has this text");
        f.write_str(&self.id)
    }
}

impl From<Text<'_>> for String {
    fn from(text: Text<'_>) -> Self {
        text.to_string()
    }
}

impl From<Text<'_>> for Cow<'static, str> {
    fn from(text: Text<'_>) -> Self {
        Self::Owned(text.to_string())
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.locales()).finish()
    }
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.chain.iter().map(|language| language.id.to_string())).finish()
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Text").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_translated_comes_from_further_down_the_chain() {
        let texts = Texts::new("en", "hello = Hello\nbye = Bye\n    .hint = later").unwrap();
        let texts = texts.with("fr", "hello = Bonjour").unwrap();
        let texts = texts.with("fr-CA", "bye = Bye-bye").unwrap();
        let voice = texts.in_locale("fr-CA");
        let said =
            ["hello", "bye", "bye.hint", "thanks", "bye.why"].map(|id| voice.text(id).to_string());
        assert_eq!(said, ["Bonjour", "Bye-bye", "later", "thanks", "bye.why"]);
        assert_eq!(voice.locale(), "fr-CA");
        assert_eq!(texts.locales().collect::<Vec<_>>(), ["en", "fr", "fr-CA"]);
        let missing: Vec<String> = texts.missing().iter().map(ToString::to_string).collect();
        let expected = [
            "fr lacks `bye`",
            "fr lacks `bye.hint`",
            "fr-CA lacks `bye.hint`",
            "fr-CA lacks `hello`",
        ];
        assert_eq!(missing, expected);
    }

    #[test]
    fn an_argument_that_is_forgotten_shows_its_name() {
        let texts = Texts::new("en", "hello = Hello, { $name }!").unwrap();
        assert_eq!(String::from(texts.in_locale("en").text("hello")), "Hello, {$name}!");
    }

    #[test]
    fn texts_that_cannot_be_used_are_refused_with_the_place() {
        let says = |texts: Result<Texts, TextsError>| texts.unwrap_err().to_string();
        let error = says(Texts::new("en", "hello = Hello\nbye = { $name\n"));
        assert!(error.starts_with("the texts of en, line "), "{error}");
        assert!(
            says(Texts::new("english please", "")).contains("is not a locale; write it as in fr")
        );
        assert_eq!(says(Texts::new("en", "a = 1\na = 2")), "the texts of en: `a` is there twice");
        let texts = Texts::new("en", "a = 1").unwrap();
        assert!(says(texts.with("en", "a = 2")).contains("there already"));
    }
}
