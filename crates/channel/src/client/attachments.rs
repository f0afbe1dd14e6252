//! Files: uploading them to a channel and fetching them back.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sayso_turn::activity::{AttachmentData, AttachmentInfo};

use super::{
    Error, Service,
    call::{Call, json},
    path::Path,
};

/// The content of a file, in one of its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The media type, as the channel says it.
    pub content_type: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A file to upload.
///
/// # Example
/// ```
/// let note = sayso_channel::client::file("text/plain", "note.txt", b"hi");
/// assert_eq!(note.original_base64.as_deref(), Some("aGk="));
/// ```
#[must_use]
pub fn file(
    content_type: impl Into<String>,
    name: impl Into<String>,
    content: &[u8],
) -> AttachmentData {
    AttachmentData {
        kind: Some(content_type.into()),
        name: Some(name.into()),
        original_base64: Some(STANDARD.encode(content)),
        ..AttachmentData::default()
    }
}

impl Service {
    /// Uploads a file to where the channel keeps those of a conversation, and returns its id.
    ///
    /// # Errors
    /// [`Error`], by what to do. A success without an id is [`Error::Unknown`]: the file can never
    /// be named.
    ///
    /// # Cancellation
    /// It may have been uploaded.
    pub async fn upload(&self, conversation: &str, file: &AttachmentData) -> Result<String, Error> {
        let what = "uploading the file";
        let url = self.conversation(conversation)?.then("/attachments").address()?;
        let id = self.ask(Call::post(what, url, json(file)?)).await?.id().await;
        id.ok_or_else(|| Error::Unknown {
            reason: format!("{what} failed: the channel's answer has no id"),
        })
    }

    /// What the channel knows of a file.
    ///
    /// # Errors
    /// [`Error`], by what to do.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn attachment(&self, id: &str) -> Result<AttachmentInfo, Error> {
        let url = self.file(id)?.address()?;
        self.ask(Call::get("looking the file up", url)).await?.value().await
    }

    /// The content of a file in one of its forms, such as `original` or `thumbnail`, if it has at
    /// most so many bytes.
    ///
    /// # Errors
    /// [`Error`], by what to do. A file that is too long is [`Error::Refused`], and so is one that
    /// the channel keeps elsewhere and redirects to.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn attachment_content(
        &self,
        id: &str,
        view: &str,
        bytes_max: usize,
    ) -> Result<Content, Error> {
        let url = self.file(id)?.then("/views").id("form", view)?.address()?;
        let answer = self.ask(Call::get("fetching the file", url)).await?;
        let (content_type, bytes) = answer.content(bytes_max).await?;
        Ok(Content { content_type, bytes })
    }

    fn file(&self, id: &str) -> Result<Path, Error> {
        Path::new(&self.base).then("/v3/attachments").id("file", id)
    }
}
