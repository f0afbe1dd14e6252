//! Attachments: uploading files to a channel and downloading them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sayso_turn::activity::{AttachmentData, AttachmentInfo};

use super::{
    Error, Service,
    call::{Call, json},
    path::Path,
};

/// The content of a file, in one of its views.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The media type from the channel's answer.
    pub content_type: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Creates a file to upload.
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
    /// Uploads a file to the channel's storage for a conversation, and returns its id.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. A success without an id is [`Error::Unknown`]: the file cannot
    /// be referred to.
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

    /// Looks up the metadata of a file.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn attachment(&self, id: &str) -> Result<AttachmentInfo, Error> {
        let url = self.file(id)?.address()?;
        self.ask(Call::get("looking up the file", url)).await?.value().await
    }

    /// Downloads a file in one of its views, such as `original` or `thumbnail`, if it has at most
    /// `bytes_max` bytes.
    ///
    /// # Errors
    /// [`Error`], sorted by remedy. A file that is too large is [`Error::Refused`], and so is one
    /// that the channel stores elsewhere and redirects to.
    ///
    /// # Cancellation
    /// It changes nothing.
    pub async fn attachment_content(
        &self,
        id: &str,
        view: &str,
        bytes_max: usize,
    ) -> Result<Content, Error> {
        let url = self.file(id)?.then("/views").id("view", view)?.address()?;
        let answer = self.ask(Call::get("downloading the file", url)).await?;
        let (content_type, bytes) = answer.content(bytes_max).await?;
        Ok(Content { content_type, bytes })
    }

    fn file(&self, id: &str) -> Result<Path, Error> {
        Path::new(&self.base).then("/v3/attachments").id("file", id)
    }
}
