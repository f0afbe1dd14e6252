//! Names that may be written, and references that are followed.

use super::super::{
    Layout,
    bodies::{read, write},
};

const STATE: &str = "botbuilder.dialogs.dialog_state.DialogState";
const CHOICE: &str = "botbuilder.dialogs.choices.choice.Choice";
const INSTANCES: &str = "System.Collections.Generic.List`1[[Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs]], System.Private.CoreLib";
const INSTANCE: &str =
    "Microsoft.Bot.Builder.Dialogs.DialogInstance, Microsoft.Bot.Builder.Dialogs";
const DICTIONARY: &str = "System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib";

/// Reads a body, changes its text and writes it back.
fn changed(layout: Layout, text: &str, from: &str, to: &str) -> Result<String, String> {
    let body = read(layout, text.to_owned()).unwrap();
    assert!(body.contains(from), "{body}");
    write(layout, body.replacen(from, to, 1))
}

fn style(kind: &str, member: &str) -> String {
    format!(r#"{{"py/reduce":[{{"py/type":"{kind}"}},{{"py/tuple":["{member}"]}}]}}"#)
}

const LIST_STYLE: &str = "botbuilder.dialogs.choices.list_style.ListStyle";

#[test]
fn the_types_of_a_stack_are_written() {
    let three = style(LIST_STYLE, "3");
    for (layout, body) in [
        (Layout::Python, format!(r#"{{"d":{{"py/object":"{STATE}","_dialog_stack":[]}}}}"#)),
        (Layout::Python, format!(r#"{{"d":[{{"py/object":"{CHOICE}","style":{three}}}]}}"#)),
        (
            Layout::Dotnet,
            format!(r#"{{"d":{{"$type":"{INSTANCES}","$values":[{{"$type":"{INSTANCE}"}}]}}}}"#),
        ),
        (Layout::Sample, format!(r#"{{"d":{{"$type":"{DICTIONARY}","any":1}}}}"#)),
    ] {
        assert_eq!(write(layout, body.clone()).unwrap(), body);
        // It is the same the next time.
        let again = read(layout, body.clone()).unwrap();
        assert_eq!(write(layout, again).unwrap(), body);
    }
}

#[test]
fn any_other_type_is_refused_as_before() {
    let python = |name: &str| (Layout::Python, format!(r#"{{"d":{{"py/object":"{name}"}}}}"#));
    let dotnet = |name: &str| (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{name}"}}}}"#));
    for (layout, body) in [
        python("os.system"),
        python("botbuilder.dialogs.dialog_state.DialogState2"),
        python("botbuilder.dialogs.dialog_state.dialogstate"),
        python(" botbuilder.dialogs.dialog_state.DialogState"),
        python("botbuilder.dialogs.prompts.number_prompt.NumberPrompt"),
        python(INSTANCE),
        dotnet(STATE),
        dotnet(&INSTANCE.replace(", ", ",")),
        dotnet(&DICTIONARY.replace("System.Object", "System.Diagnostics.Process")),
        dotnet(&format!("{INSTANCE}, Version=0.0.0.0")),
        // A list has items and nothing else.
        dotnet(INSTANCES),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{INSTANCES}","$values":1}}}}"#)),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{INSTANCES}","$values":[],"x":1}}}}"#)),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{INSTANCE}","$values":[]}}}}"#)),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":["{INSTANCE}"]}}}}"#)),
        // What is inside is looked at too.
        (
            Layout::Dotnet,
            format!(r#"{{"d":{{"$type":"{INSTANCES}","$values":[{{"$type":"Evil"}}]}}}}"#),
        ),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{INSTANCE}","x":{{"$type":"Evil"}}}}}}"#)),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"{INSTANCE}","$ref":"1"}}}}"#)),
        (
            Layout::Python,
            format!(
                r#"{{"d":{{"py/object":"{STATE}","_dialog_stack":[{{"py/object":"Evil"}}]}}}}"#
            ),
        ),
        (Layout::Python, format!(r#"{{"d":{{"py/object":"{CHOICE}","py/state":{{}}}}}}"#)),
        (Layout::Python, format!(r#"{{"d":{{"py/object":"{CHOICE}","x":{{"py/id":0}}}}}}"#)),
        // Of two names a reader takes the one that we did not look at.
        (Layout::Python, format!(r#"{{"d":{{"py/object":"{CHOICE}","py/object":"Evil"}}}}"#)),
        (Layout::Dotnet, format!(r#"{{"d":{{"$type":"Evil","$type":"{INSTANCE}"}}}}"#)),
        // A member that cannot be set would make the document unreadable.
        (Layout::Python, format!(r#"{{"d":{{"py/object":"{STATE}","dialog_stack":[]}}}}"#)),
        // A call is a call, except for the members of one enumeration.
        (Layout::Python, format!(r#"{{"d":{}}}"#, style(LIST_STYLE, "6"))),
        (Layout::Python, format!(r#"{{"d":{}}}"#, style("os.system", "3"))),
        (
            Layout::Python,
            format!(r#"{{"d":{}}}"#, style(LIST_STYLE, "3").replace(r#"["3"]"#, r#"["3","3"]"#)),
        ),
        (
            Layout::Python,
            format!(r#"{{"d":{}}}"#, style(LIST_STYLE, "3").replace("}]}", r#"},{"a":1}]}"#)),
        ),
    ] {
        let error = write(layout, body.clone()).expect_err(&body);
        assert!(error.contains("rename it"), "{error}");
    }
}

#[test]
fn a_written_type_takes_the_place_of_the_noted_one() {
    let text = format!(
        r#"{{"d":{{"$type":"{INSTANCES}","$values":[{{"$type":"{INSTANCE}","state":{{"$type":"{DICTIONARY}","own":{{"$type":"Bot.Own, Bot","n":1}}}}}}]}}}}"#
    );
    let body = read(Layout::Dotnet, text.clone()).unwrap();
    let plain = r#""d":[{"state":{"own":{"n":1}}}]"#;
    assert!(body.contains(plain), "{body}");
    let named = format!(
        r#""d":{{"$type":"{INSTANCES}","$values":[{{"$type":"{INSTANCE}","state":{{"$type":"{DICTIONARY}","own":{{"n":1}}}}}}]}}"#
    );
    // The author's own type, inside of the stack, comes from the notes all the same.
    assert_eq!(write(Layout::Dotnet, body.replacen(plain, &named, 1)).unwrap(), text);
}

/// A document with an object, an enumeration and a message, each twice, as jsonpickle counts them.
fn referring() -> String {
    let kind = style("botbuilder.schema._connector_client_enums.ActivityTypes", "message");
    let message =
        format!(r#"{{"py/object":"botbuilder.schema._models_py3.Activity","type":{kind},"l":[]}}"#);
    format!(
        r#"{{"own":{{"py/object":"m.P","t":{{"py/tuple":[[]]}}}},"p":{message},"t":{{"py/id":4}},"q":{{"py/id":3}},"same":{{"py/id":1}}}}"#
    )
}

#[test]
fn references_to_what_never_changes_are_followed_and_the_others_counted_anew() {
    let body = read(Layout::Python, referring()).unwrap();
    let kind = style("botbuilder.schema._connector_client_enums.ActivityTypes", "message");
    assert!(body.contains(&format!(r#""t":{kind},"q":{{"type":{kind},"l":[]}}"#)), "{body}");
    // `own` comes before all that was copied: its number is the same.
    assert!(body.contains(r#""same":{"py/id":1}"#), "{body}");
    let later = r#"{"p":KIND,"q":{"py/id":1},"own":{"py/object":"m.P"},"same":{"py/id":2}}"#;
    let body = read(Layout::Python, later.replace("KIND", &kind)).unwrap();
    assert!(body.contains(r#""same":{"py/id":3}"#), "one more part is before it: {body}");
}

#[test]
fn a_document_that_refers_only_to_what_never_changes_can_be_changed() {
    let text = referring().replace(r#","same":{"py/id":1}"#, "");
    let written = changed(Layout::Python, &text, r#""l":[]"#, r#""l":[[]]"#).unwrap();
    assert!(!written.contains("py/id"), "{written}");
    assert!(written.contains(r#""own":{"py/object":"m.P""#), "{written}");
    // With the other reference it cannot.
    let error = changed(Layout::Python, &referring(), r#""l":[]"#, r#""l":[[]]"#).unwrap_err();
    assert!(error.contains("py/id"), "{error}");
    let sorted = r#"{"b":{"x":{}},"a":{"x":{}},"same":{"py/id":1}}"#;
    let error = changed(Layout::Python, sorted, r#""b":{"x":{}},"a""#, r#""a":{"x":{}},"b""#);
    assert!(error.unwrap_err().contains("py/id"), "another order is another count");
}

#[test]
fn what_cannot_be_counted_is_left_as_it_is() {
    let kind = style("botbuilder.schema._connector_client_enums.ActivityTypes", "message");
    for part in [
        r#"{"py/object":"datetime.datetime","__reduce__":[{"py/type":"datetime.datetime"},["B+"]]}"#,
        r#"{"py/object":"m.L","py/seq":[]}"#,
        r#"{"py/iterator":[]}"#,
        r#"{"py/repr":"a/b"}"#,
        r#"{"py/id":77}"#,
        r#"{"py/id":"x"}"#,
    ] {
        let text = format!(r#"{{"d":{kind},"part":{part},"e":{{"py/id":1}}}}"#);
        let body = read(Layout::Python, text.clone()).unwrap();
        assert!(body.contains(r#""e":{"py/id":1}"#), "{body}");
        assert_eq!(write(Layout::Python, body).unwrap(), text);
    }
}

#[test]
fn copies_of_copies_come_to_an_end() {
    let message = |inside: &str| {
        format!(r#"{{"py/object":"botbuilder.schema._models_py3.Activity","v":[{inside}]}}"#)
    };
    // Each one holds the one before it twice: more than any memory has.
    let mut text = format!(r#"{{"m0":{}"#, message(""));
    for index in 1..60 {
        let before = 1 + 2 * (index - 1);
        let twice = format!(r#"{{"py/id":{before}}},{{"py/id":{before}}}"#);
        text.push_str(&format!(r#","m{index}":{}"#, message(&twice)));
    }
    text.push('}');
    let body = read(Layout::Python, text.clone()).unwrap();
    assert_eq!(write(Layout::Python, body).unwrap(), text);
}
