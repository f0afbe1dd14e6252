//! Type names that may be written although no SDK wrote them into the document before.
//!
//! A stack of dialogs changes as a whole: a prompt that begins here is an object where none was.
//! The SDKs read it only with its type, so the dialogs write the types of a stack themselves, and
//! this is the list of them, letter for letter. It is safe even if the text of a user got one of
//! them into a document, because making an object of these types has no effect: they are plain data
//! (lists, dictionaries, the records of the dialog library and of the schema), no constructor of
//! theirs does more than set members, and all that is inside of them is checked against this list
//! again.

use super::{Members, Node};

/// Known type names of an SDK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The member that holds a type name.
    kind: &'static str,
    objects: &'static [&'static str],
    /// The member that holds the items of a list, and the names of lists.
    lists: Option<(&'static str, &'static [&'static str])>,
    /// An enumeration that is written as a call, and the members it has.
    call: Option<(&'static str, &'static [&'static str])>,
}

pub(super) const DOTNET: Known = Known {
    kind: "$type",
    objects: &[
        "Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs",
        "Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs",
        "Microsoft.Bot.Builder.Dialogs.PromptOptions, Microsoft.Bot.Builder.Dialogs",
        "Microsoft.Bot.Builder.Dialogs.Choices.Choice, Microsoft.Bot.Builder.Dialogs",
        "Microsoft.Bot.Builder.Dialogs.Choices.FoundChoice, Microsoft.Bot.Builder.Dialogs",
        "Microsoft.Bot.Schema.Activity, Microsoft.Bot.Schema",
        "System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib",
    ],
    lists: Some((
        "$values",
        &[
            "System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib",
            "System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.Choices.Choice, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib",
        ],
    )),
    call: None,
};

pub(super) const PYTHON: Known = Known {
    kind: "py/object",
    objects: &[
        PYTHON_STATE,
        "botbuilder.dialogs.dialog_instance.DialogInstance",
        "botbuilder.dialogs.prompts.prompt_options.PromptOptions",
        "botbuilder.dialogs.choices.choice.Choice",
        "botbuilder.dialogs.choices.found_choice.FoundChoice",
        "botbuilder.schema._models_py3.Activity",
        "botbuilder.schema._models_py3.Attachment",
        "botbuilder.schema._models_py3.SuggestedActions",
        "botbuilder.schema._models_py3.CardAction",
    ],
    lists: None,
    call: Some((
        "botbuilder.dialogs.choices.list_style.ListStyle",
        &["0", "1", "2", "3", "4", "5"],
    )),
};

const PYTHON_STATE: &str = "botbuilder.dialogs.dialog_state.DialogState";

impl Known {
    /// The members of a value that name its type, if the type is known; else none.
    pub(super) fn given(self, node: &Node) -> &'static [&'static str] {
        let Node::Object(members) = node else { return &[] };
        let Some(name) = only(members, self.kind).and_then(Node::as_text) else { return &[] };
        // It has a member that can only be read; to set any but this one would fail.
        let is_settable = name != PYTHON_STATE
            || members.iter().all(|(name, _)| [self.kind, "_dialog_stack"].contains(&&**name));
        if self.objects.contains(&&*name) && is_settable {
            return match self.kind {
                "$type" => &["$type"],
                _ => &["py/object"],
            };
        }
        let Some((items, lists)) = self.lists else { return &[] };
        let is_list = matches!(only(members, items), Some(Node::List(_))) && members.len() == 2;
        if is_list && lists.contains(&&*name) { &["$type", "$values"] } else { &[] }
    }

    /// True if a value is a member of a known enumeration.
    pub(super) fn is_value(self, node: &Node) -> bool {
        let Some((known, values)) = self.call else { return false };
        match super::references::called(node) {
            Some((kind, [argument])) => {
                let argument = argument.as_text();
                kind == known && argument.is_some_and(|argument| values.contains(&&*argument))
            }
            _ => false,
        }
    }
}

/// The member of this name, if there is exactly one: of several, some readers take the first and
/// some the last.
fn only<'a>(members: &'a Members, name: &str) -> Option<&'a Node> {
    let mut named = members.iter().filter(|(own, _)| own == name);
    named.next().filter(|_| named.next().is_none()).map(|(_, value)| value)
}
