//! The languages that are understood, by the locales that channels send.

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is named as the language is")]
pub enum Language {
    Arabic,
    Bulgarian,
    Chinese,
    Dutch,
    #[default]
    English,
    French,
    German,
    Hindi,
    Italian,
    Japanese,
    Korean,
    Portuguese,
    Russian,
    Spanish,
    Swedish,
    Turkish,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Arabic,
        Self::Bulgarian,
        Self::Chinese,
        Self::Dutch,
        Self::English,
        Self::French,
        Self::German,
        Self::Hindi,
        Self::Italian,
        Self::Japanese,
        Self::Korean,
        Self::Portuguese,
        Self::Russian,
        Self::Spanish,
        Self::Swedish,
        Self::Turkish,
    ];

    /// The language of a locale such as `pt-BR`, by its first part; `None` when it is not
    /// understood.
    ///
    /// # Example
    /// ```
    /// use sayso_recognize::Language;
    ///
    /// assert_eq!(Language::of("pt-BR"), Some(Language::Portuguese));
    /// assert_eq!(Language::of("tlh"), None);
    /// ```
    #[must_use]
    pub fn of(locale: &str) -> Option<Self> {
        let first = locale.trim().split(['-', '_']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(first))
    }

    /// The two letters of the language.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Arabic => "ar",
            Self::Bulgarian => "bg",
            Self::Chinese => "zh",
            Self::Dutch => "nl",
            Self::English => "en",
            Self::French => "fr",
            Self::German => "de",
            Self::Hindi => "hi",
            Self::Italian => "it",
            Self::Japanese => "ja",
            Self::Korean => "ko",
            Self::Portuguese => "pt",
            Self::Russian => "ru",
            Self::Spanish => "es",
            Self::Swedish => "sv",
            Self::Turkish => "tr",
        }
    }
}
