//! Attachments of a `.chat` line: a file and its type, read as Microsoft's `chatdown` reads them.

use std::{fs, io, path::Path};

use sayso_activity::Attachment;
use serde_json::Value;

use crate::BotError;

/// Types by the ending of a file's name.
const TYPES: [(&str, &str); 17] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("html", "text/html"),
    ("csv", "text/csv"),
    ("json", "application/json"),
    ("pdf", "application/pdf"),
    ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"),
    ("mp4", "video/mp4"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("zip", "application/zip"),
];

/// Cards, by what their types end in; each may be written with `card` after it.
const CARDS: [&str; 9] =
    ["adaptive", "animation", "audio", "hero", "oauth", "receipt", "signin", "thumbnail", "video"];

/// Beginning of the types of cards.
const CARD: &str = "application/vnd.microsoft.card.";

/// Type of a file that says nothing about itself.
const UNKNOWN: &str = "application/octet-stream";

/// An attachment as it is named: a file or a URL, and its type.
pub(super) struct Named {
    file: String,
    content_type: String,
}

impl Named {
    /// Parses a file name, with its content type after a space or guessed from the ending.
    pub(super) fn parse(value: &str) -> Self {
        let (file, given) = value.split_once(' ').unwrap_or((value, ""));
        let given = given.trim().to_ascii_lowercase();
        let content_type = match CARDS.into_iter().find(|card| is_card_name(&given, card)) {
            Some(card) => format!("{CARD}{card}"),
            None if given.is_empty() => {
                let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
                let guess = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
                guess.map_or(UNKNOWN, |(_, content_type)| content_type).to_owned()
            }
            None => given,
        };
        Self { file: file.to_owned(), content_type }
    }

    /// The attachment. The file is read if there is a folder to find it in; the error names it.
    pub(super) fn read(self, folder: Option<&Path>) -> Result<Attachment, (String, io::Error)> {
        let Self { file, content_type } = self;
        let named = |attachment: Attachment| attachment.with_name(&file);
        let Some(folder) = folder.filter(|_| !file.starts_with("http")) else {
            return Ok(named(Attachment::with_url(content_type, &file)));
        };
        let fail = |error| (file.clone(), error);
        let bytes = fs::read(folder.join(&file)).or_else(|_| fs::read(&file)).map_err(fail)?;
        let is_json = content_type.contains("json") || content_type.starts_with(CARD);
        let is_text = content_type.starts_with("text/");
        let wrong = |error: BotError| fail(io::Error::new(io::ErrorKind::InvalidData, error));
        let content = match (is_json, is_text) {
            (true, _) => serde_json::from_slice(&bytes).map_err(|error| wrong(error.into()))?,
            (_, true) => String::from_utf8(bytes).map(Value::from).map_err(|e| wrong(e.into()))?,
            _ => return Ok(named(Attachment::inline(content_type, &bytes))),
        };
        let attachment = Attachment::with_content(content_type, &content);
        Ok(named(attachment.expect("a value is always JSON")))
    }
}

/// Reports whether a type is a card in short.
fn is_card_name(given: &str, card: &str) -> bool {
    given.strip_prefix(card).is_some_and(|rest| rest.is_empty() || rest == "card")
}
