//! Methods of the set of dialogs: by id, and their versions.

use std::sync::{Arc, OnceLock};

use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256};

use super::{Dialog, DialogSet};
use crate::state::Shape;

impl DialogSet {
    /// A set without dialogs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a dialog; gives the id under which it is known here.
    pub fn add(&mut self, dialog: impl Dialog) -> &str {
        self.add_shared(Arc::new(dialog))
    }

    /// Adds a dialog that others may have too.
    pub fn add_shared(&mut self, dialog: Arc<dyn Dialog>) -> &str {
        let same = |(_, known): &(String, Arc<dyn Dialog>)| Arc::ptr_eq(known, &dialog);
        if let Some(at) = self.dialogs.iter().position(same) {
            return self.dialogs.get(at).map(|(id, _)| id.as_str()).unwrap_or_default();
        }
        let mut id = dialog.id().to_owned();
        let mut number = 2;
        while self.find(&id).is_some() {
            id = format!("{}{number}", dialog.id());
            number += 1;
        }
        self.dialogs.push((id, dialog));
        self.versions = OnceLock::new();
        self.dialogs.last().map(|(id, _)| id.as_str()).unwrap_or_default()
    }

    /// The dialog of this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Arc<dyn Dialog>> {
        self.dialogs.iter().find(|(known, _)| known == id).map(|(_, dialog)| dialog)
    }

    /// The ids, in the order of adding.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.dialogs.iter().map(|(id, _)| id.as_str())
    }

    /// A text that changes when the dialogs change, as the SDK of a shape makes it: so a
    /// conversation that comes over from that SDK is not taken for a changed one.
    #[must_use]
    pub fn version(&self, shape: Shape) -> &str {
        let [dotnet, javascript] = self.versions.get_or_init(|| [self.dotnet(), self.javascript()]);
        match shape {
            Shape::DotNet => dotnet,
            Shape::JavaScript | Shape::Python => javascript,
        }
    }

    fn dotnet(&self) -> String {
        let all: String = self.dialogs.iter().map(|(_, dialog)| dialog.version()).collect();
        BASE64_STANDARD.encode(Sha256::digest(all.as_bytes()))
    }

    fn javascript(&self) -> String {
        let mut hash: i32 = 0;
        for (_, dialog) in &self.dialogs {
            for unit in format!("|{}", dialog.version()).encode_utf16() {
                hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
            }
        }
        hash.to_string()
    }
}

impl<D: Dialog> Extend<D> for DialogSet {
    fn extend<I: IntoIterator<Item = D>>(&mut self, dialogs: I) {
        for dialog in dialogs {
            let _id = self.add(dialog);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NumberPrompt, Step, StepResult, TextPrompt, WaterfallDialog};

    async fn nothing(step: Step<'_>) -> StepResult {
        step.wait()
    }

    #[test]
    fn versions_are_those_of_the_sdks() {
        let mut set = DialogSet::new();
        let waterfall = WaterfallDialog::new("waterfall").step(nothing).step(nothing).step(nothing);
        let _id = set.add(waterfall);
        let _id = set.add(NumberPrompt::<i64>::new("number"));
        assert_eq!(set.version(Shape::DotNet), "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=");
        assert_eq!(set.version(Shape::JavaScript), "1247271446");
    }

    #[test]
    fn an_id_that_is_taken_gets_a_number() {
        let mut set = DialogSet::new();
        let shared: Arc<dyn Dialog> = Arc::new(TextPrompt::new("text"));
        for expected in ["text", "text"] {
            assert_eq!(set.add_shared(Arc::clone(&shared)), expected);
        }
        assert_eq!(set.add(TextPrompt::new("text")), "text2");
        assert_eq!(set.add(TextPrompt::new("text")), "text3");
        assert_eq!(set.ids().collect::<Vec<_>>(), ["text", "text2", "text3"]);
    }
}
