//! Rich cards and buttons.
//!
//! Each card is built by `with_…` methods and becomes an attachment by `attach()`. A card that is
//! read and written again is the same JSON value, members without a field included.

mod action;
mod adaptive;
mod basic;
mod media;
mod picture;
mod receipt;
mod sign_in;

pub use action::{CardAction, SuggestedActions};
pub use adaptive::AdaptiveCard;
pub use basic::{HeroCard, ThumbnailCard};
pub use media::{AnimationCard, AudioCard, VideoCard};
pub use picture::{CardImage, MediaUrl, ThumbnailUrl};
pub use receipt::{Fact, ReceiptCard, ReceiptItem};
pub use sign_in::{OAuthCard, SigninCard, TokenExchangeResource};

/// Implements the content type of a card and its conversion to an attachment.
macro_rules! attach {
    ($Card:ident, $content_type:literal) => {
        impl $Card {
            /// The content type of an attachment that holds this card.
            pub const CONTENT_TYPE: &'static str = $content_type;

            /// The card as an attachment.
            #[must_use]
            pub fn attach(&self) -> $crate::Attachment {
                $crate::Attachment::with_content(Self::CONTENT_TYPE, self)
                    .expect("strings, flags and JSON text can be written as JSON")
            }
        }
    };
}

use attach;

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::{CardAction, HeroCard, ReceiptCard, SuggestedActions, VideoCard};

    fn check_kept<T: Serialize + DeserializeOwned>(text: &str) {
        let record: T = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), text);
    }

    #[test]
    fn members_that_are_not_known_are_kept() {
        let button = r#"{"type":"signin","title":"Go","value":{"n":1e400},"iconUrl":"x"}"#;
        check_kept::<CardAction>(button);
        check_kept::<SuggestedActions>(&format!(r#"{{"to":["a"],"actions":[{button}],"z":null}}"#));
        check_kept::<HeroCard>(&format!(
            r#"{{"title":"t","images":[{{"url":"u"}}],"buttons":[{button}],"tap":{button},"z":1}}"#
        ));
        check_kept::<ReceiptCard>(
            r#"{"title":"t","facts":[{"key":"k","value":"v","z":1}],"items":[{"title":"a","image":{"url":"u","z":1},"price":"1","z":1}],"total":"1","z":1}"#,
        );
        check_kept::<VideoCard>(
            r#"{"image":{"url":"u","z":1},"media":[{"url":"m","profile":"p","z":1}],"autoloop":true,"value":1.0,"z":1}"#,
        );
    }

    #[test]
    fn a_wrong_type_is_refused_by_name_and_without_the_value() {
        for (text, start) in [
            (r#"{"images":["secret"]}"#, "heroCard.images: expected an object"),
            (r#"{"images":[{"url":7}]}"#, "image.url: expected a string"),
            (r#"{"buttons":{"a":"secret"}}"#, "heroCard.buttons: expected a list"),
            (r#"{"tap":{"title":["secret"]}}"#, "action.title: expected a string"),
        ] {
            let error = serde_json::from_str::<HeroCard>(text).unwrap_err().to_string();
            assert!(error.starts_with(start) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn builders_write_what_channels_expect() {
        let buttons = SuggestedActions::new([CardAction::new("openUrl", "See").with_value("u")])
            .with_recipient("ann");
        let text = r#"{"to":["ann"],"actions":[{"type":"openUrl","title":"See","value":"u"}]}"#;
        assert_eq!(buttons.to_raw().as_str(), text);

        let card = HeroCard::new("Which?").with_button(CardAction::im_back("A")).attach();
        let text = r#"{"text":"Which?","buttons":[{"type":"imBack","title":"A","value":"A"}]}"#;
        assert_eq!(card.content.unwrap().as_str(), text);
        assert_eq!(card.content_type.as_deref(), Some("application/vnd.microsoft.card.hero"));
    }
}
