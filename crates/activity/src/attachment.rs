//! Attachments: files by their URL, cards by their content.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::Raw;
use crate::json::wire_struct::wire_struct;

wire_struct! {
    /// A file or a card.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Attachment;
    /// use serde_json::json;
    ///
    /// let card = Attachment::with_content(
    ///     "application/vnd.microsoft.card.hero",
    ///     &json!({ "title": "Rome" }),
    /// )?;
    /// assert_eq!(card.content.unwrap().as_str(), r#"{"title":"Rome"}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub struct Attachment, "attachment";
    required {}
    optional {
        /// The media type, or the type of card.
        content_type: String = "contentType",
        /// The URL of the content, when it is not here.
        content_url: String = "contentUrl",
        /// The content itself.
        content: Raw = "content",
        /// The name to show.
        name: String = "name",
        /// The address of a small picture of it.
        thumbnail_url: String = "thumbnailUrl",
    }
}

impl Attachment {
    /// An attachment whose content travels with it, such as a card.
    ///
    /// # Errors
    ///
    /// When the content cannot be written as JSON.
    pub fn with_content<T: Serialize + ?Sized>(
        content_type: impl Into<String>,
        content: &T,
    ) -> Result<Self, serde_json::Error> {
        Ok(Self {
            content_type: Some(content_type.into()),
            content: Some(Raw::of(content)?),
            ..Self::default()
        })
    }

    /// An attachment whose content is fetched from an address.
    #[must_use]
    pub fn with_url(content_type: impl Into<String>, content_url: impl Into<String>) -> Self {
        Self {
            content_type: Some(content_type.into()),
            content_url: Some(content_url.into()),
            ..Self::default()
        }
    }

    /// A file that travels with its message, as a `data:` address. Channels limit such messages to
    /// a few hundred kilobytes; larger files are uploaded first.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::Attachment;
    ///
    /// let file = Attachment::inline("text/plain", b"hello").with_name("greeting.txt");
    /// assert_eq!(file.content_url.as_deref(), Some("data:text/plain;base64,aGVsbG8="));
    /// assert_eq!(file.bytes().unwrap(), b"hello");
    /// ```
    #[must_use]
    pub fn inline(content_type: impl Into<String>, bytes: &[u8]) -> Self {
        let content_type = content_type.into();
        let url = format!("data:{content_type};base64,{}", STANDARD.encode(bytes));
        Self::with_url(content_type, url)
    }

    /// Sets the name to show.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The file, when it travels with its message; `None` when it must be fetched.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let (head, data) = self.content_url.as_deref()?.strip_prefix("data:")?.split_once(',')?;
        head.ends_with(";base64").then(|| STANDARD.decode(data).ok())?
    }
}

#[cfg(test)]
mod tests {
    use super::Attachment;

    #[test]
    fn content_of_any_type_is_kept_as_it_came() {
        for content in ["1e400", "[1.0, 2]", r#""text""#, "false", "null", "{}"] {
            let text = format!(r#"{{"contentType":"x/y","content":{content}}}"#);
            let attachment: Attachment = serde_json::from_str(&text).unwrap();
            assert_eq!(attachment.content.is_none(), content == "null");
            assert_eq!(serde_json::to_string(&attachment).unwrap(), text);
        }
    }

    #[test]
    fn only_a_file_in_the_address_has_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(Attachment::inline("a/b", &bytes).bytes(), Some(bytes));
        assert_eq!(Attachment::inline("a/b", &[]).bytes(), Some(vec![]));
        for url in ["https://a/b", "data:", "data:text/plain,hello", "data:a/b;base64,*", ""] {
            assert_eq!(Attachment::with_url("a/b", url).bytes(), None, "{url}");
        }
        assert_eq!(Attachment::default().bytes(), None);
    }

    #[test]
    fn an_address_takes_the_place_of_content() {
        let text =
            serde_json::to_string(&Attachment::with_url("image/png", "https://a/b")).unwrap();
        assert_eq!(text, r#"{"contentType":"image/png","contentUrl":"https://a/b"}"#);
    }
}
