//! Round trips of stacks in the formats of three SDKs.

use serde_json::{Value, json};

use super::*;

fn read(value: &Value) -> DialogState {
    serde_json::from_value(value.clone()).unwrap()
}

/// A root component in which a waterfall waits for a number, as .NET keeps it.
fn dotnet() -> Value {
    json!({
        "$type": "Microsoft.Bot.Builder.Dialogs.DialogState, Microsoft.Bot.Builder.Dialogs",
        "dialogStack": { "$type": "List", "$values": [{
            "$type": "DialogInstance", "id": "root", "StackIndex": null,
            "Version": "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=",
            "state": { "$type": "Dictionary", "dialogs": {
                "$type": "DialogState",
                "dialogStack": { "$type": "List", "$values": [
                    { "$type": "DialogInstance", "id": "number", "StackIndex": null, "Version": null,
                      "state": { "$type": "Dictionary",
                        "options": { "$type": "PromptOptions", "RetryPrompt": null, "Choices": null,
                            "Style": null, "Validations": null, "RecognizeLanguage": null,
                            "Prompt": { "$type": "Activity", "type": "message", "text": "Enter a number." } },
                        "state": { "$type": "Dictionary", "AttemptCount": 0 } } },
                    { "$type": "DialogInstance", "id": "waterfall", "StackIndex": null, "Version": null,
                      "state": { "$type": "Dictionary", "options": null, "stepIndex": 0,
                        "instanceId": "a1", "values": { "$type": "Dictionary", "list": {
                            "$type": "List", "$values": [1, 2] } } } },
                ] },
            } },
        }] },
    })
}

#[test]
fn a_dotnet_stack_is_reversed_and_its_type_names_removed() {
    let state = read(&dotnet());
    assert_eq!((state.shape(), state.stack.len()), (Shape::DotNet, 1));
    let root = &state.stack[0];
    assert_eq!(root.version.as_deref(), Some("WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE="));
    let inner = root.inner().unwrap();
    assert_eq!(inner.ids().collect::<Vec<_>>(), ["waterfall", "number"]);
    assert_eq!(inner.stack[0].state["values"], json!({ "list": [1, 2] }));
    assert_eq!(inner.stack[1].state["options"]["prompt"]["text"], "Enter a number.");
    assert_eq!(inner.stack[1].state["state"], json!({ "attemptCount": 0 }));
}

#[test]
fn every_shape_is_read_back_as_it_was_written() {
    let mut state = read(&dotnet());
    for shape in [Shape::JavaScript, Shape::DotNet, Shape::Python, Shape::JavaScript] {
        state.set_shape(shape);
        let written = serde_json::to_value(&state).unwrap();
        let mut again = read(&written);
        again.load_options();
        assert_eq!(again.shape(), shape);
        assert_eq!(again.ids().collect::<Vec<_>>(), ["root"]);
        let inner = again.stack[0].inner().unwrap();
        assert_eq!(inner.stack[0].state["instanceId"], "a1", "{written}");
        assert_eq!(inner.stack[0].state["values"]["list"][1], json!(2).clone());
        assert_eq!(inner.stack[1].state["options"]["prompt"]["text"], "Enter a number.");
        assert_eq!(serde_json::to_value(&again).unwrap(), written);
        state = again;
    }
}

#[test]
fn a_stack_written_for_dotnet_has_its_members_and_types() {
    let written = serde_json::to_value(read(&dotnet())).unwrap();
    let root = &written["dialogStack"]["$values"][0];
    assert_eq!(root["StackIndex"], Value::Null);
    assert_eq!(root["Version"], "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=");
    let stack = &root["state"]["dialogs"]["dialogStack"]["$values"];
    assert_eq!((&stack[0]["id"], &stack[1]["id"]), (&json!("number"), &json!("waterfall")));
    assert_eq!(stack[0]["state"]["state"]["AttemptCount"], 0);
    let options = &stack[0]["state"]["options"];
    for name in ["Prompt", "RetryPrompt", "Choices", "Style", "$type"] {
        assert!(options.get(name).is_some(), "{name}: {options}");
    }
}

#[test]
fn javascript_keeps_the_id_of_a_waterfall_among_its_values() {
    let value = json!({ "dialogStack": [
        { "id": "w", "state": { "options": {}, "values": { "instanceId": "i", "x": 1 }, "stepIndex": 1 } },
        { "id": "text", "state": { "options": { "prompt": "name?" }, "state": { "attemptCount": 2 } }, "odd": 7 },
    ], "other": true });
    let state = read(&value);
    assert_eq!(state.stack[0].state["values"], json!({ "x": 1 }));
    assert_eq!(serde_json::to_value(&state).unwrap(), value);
}

#[test]
fn empty_options_of_a_javascript_waterfall_are_read_as_null() {
    let value = json!({ "dialogStack": [
        { "id": "w", "state": { "options": {}, "values": { "instanceId": "i" }, "stepIndex": 1 } },
    ] });
    let mut state = read(&value);
    assert_eq!(state.stack[0].options::<Value>().unwrap(), Some(Value::Null));
    assert_eq!(serde_json::to_value(&state).unwrap(), value);
    state.set_shape(Shape::Python);
    let written = serde_json::to_value(&state).unwrap();
    assert_eq!(written["_dialog_stack"][0]["state"]["options"], Value::Null);
}

#[test]
fn options_of_a_waterfall_are_read_unchanged() {
    let value = json!({ "dialogStack": [
        { "id": "w", "StackIndex": null, "state": { "options": { "Style": 1, "Prompt": null },
            "values": {}, "instanceId": "i", "stepIndex": 1 } },
    ] });
    assert_eq!(read(&value).stack[0].state["options"], json!({ "Style": 1, "Prompt": null }));
}

/// A member of an enumeration, or a decimal, as `jsonpickle` writes it.
fn called(kind: &str, text: &str) -> Value {
    json!({ "py/reduce": [{ "py/type": kind }, { "py/tuple": [text] }] })
}

/// As the Python SDK keeps a choice that waits, with fewer of the attributes that are null.
fn python() -> Value {
    let kind = called("botbuilder.schema._connector_client_enums.ActivityTypes", "message");
    let hint = called("botbuilder.schema._connector_client_enums.InputHints", "acceptingInput");
    json!({ "py/object": "botbuilder.dialogs.dialog_state.DialogState", "_dialog_stack": [
        { "py/object": "botbuilder.dialogs.dialog_instance.DialogInstance", "id": "choice", "state": {
            "options": { "py/object": "botbuilder.dialogs.prompts.prompt_options.PromptOptions",
                "prompt": { "py/object": "botbuilder.schema._models_py3.Activity",
                    "additional_properties": { "odd_name": 1 }, "type": kind, "id": null,
                    "from_property": null, "text": "which", "input_hint": hint,
                    "channel_data": { "of_author": 1 } },
                "retry_prompt": { "py/object": "botbuilder.schema._models_py3.Activity",
                    "additional_properties": {}, "type": { "py/id": 12 }, "text": "again",
                    "input_hint": { "py/id": 13 } },
                "choices": [{ "py/object": "botbuilder.dialogs.choices.choice.Choice",
                    "value": "é", "action": null, "synonyms": null }],
                "style": called("botbuilder.dialogs.choices.list_style.ListStyle", "3"),
                "validations": null, "number_of_attempts": 2 },
            "state": {} } },
        { "py/object": "botbuilder.dialogs.dialog_instance.DialogInstance", "id": "waterfall", "state": {
            "options": null, "instanceId": "i", "stepIndex": 2, "values": {
                "first": called("decimal.Decimal", "3.50"), "n": called("decimal.Decimal", "10"),
                "list": [called("decimal.Decimal", "1E+2")], "own": called("bot.Enum", "x"),
                "float": 1.5,
                "size": { "py/object": "botbuilder.dialogs.choices.found_choice.FoundChoice",
                    "value": "é", "index": 0, "score": 1.0, "synonym": "é" } } } },
    ] })
}

#[test]
fn a_python_prompt_is_understood() {
    let state = read(&python());
    assert_eq!(state.ids().collect::<Vec<_>>(), ["waterfall", "choice"]);
    let prompt = state.stack[1].state();
    let options = &prompt["options"];
    assert_eq!(
        options["prompt"],
        json!({ "type": "message", "text": "which", "inputHint": "acceptingInput",
            "channelData": { "of_author": 1 }, "odd_name": 1 })
    );
    assert_eq!(options["retryPrompt"], json!({ "text": "again" }));
    assert_eq!((&options["choices"], &options["style"]), (&json!([{ "value": "é" }]), &json!(3)));
    assert_eq!(options.get("number_of_attempts"), None);
    assert_eq!(prompt["state"], json!({ "attemptCount": 2 }));
}

#[test]
fn what_is_written_for_python_has_every_attribute() {
    let state = read(&python());
    let written = serde_json::to_value(&state).unwrap();
    let kept = &written["_dialog_stack"][0]["state"];
    let options = kept["options"].as_object().unwrap();
    let attributes = [
        "choices",
        "number_of_attempts",
        "prompt",
        "py/object",
        "retry_prompt",
        "style",
        "validations",
    ];
    assert_eq!(options.keys().collect::<Vec<_>>(), attributes);
    assert_eq!((&options["number_of_attempts"], &kept["state"]), (&json!(2), &json!({})));
    assert_eq!(options["style"], called("botbuilder.dialogs.choices.list_style.ListStyle", "3"));
    assert_eq!(options["choices"], python()["_dialog_stack"][0]["state"]["options"]["choices"]);
    let prompt = options["prompt"].as_object().unwrap();
    assert_eq!(prompt.len(), 42 + 2, "all attributes, the other members and the class");
    assert_eq!(prompt["additional_properties"], json!({ "odd_name": 1 }));
    assert_eq!(prompt["channel_data"], json!({ "of_author": 1 }));
    assert_eq!((&prompt["from_property"], &prompt["type"]), (&Value::Null, &json!("message")));
    assert_eq!(read(&written), state);
}

#[test]
fn decimals_of_python_are_numbers_here_and_stay_decimals_there() {
    let mut state = read(&python());
    let values = |state: &Value| state["_dialog_stack"][1]["state"]["values"].clone();
    let read_values = &state.stack[0].state["values"];
    assert_eq!(
        (&read_values["first"], &read_values["n"], &read_values["list"]),
        (&json!(3.5), &json!(10), &json!([100]))
    );
    assert_eq!(read_values["own"], called("bot.Enum", "x"), "an author's own is left alone");
    assert_eq!(values(&serde_json::to_value(&state).unwrap()), values(&python()));
    // One that changed is a number, and other SDKs have no decimals.
    state.stack[0].state["values"]["n"] = 11.into();
    assert_eq!(values(&serde_json::to_value(&state).unwrap())["n"], 11);
    state.set_shape(Shape::JavaScript);
    let written = serde_json::to_value(&state).unwrap();
    assert_eq!(written["dialogStack"][0]["state"]["values"]["first"], 3.5);
    assert!(!written.to_string().contains("decimals"), "{written}");
}

#[test]
fn a_python_reference_is_not_written() {
    let mut value = python();
    value["_dialog_stack"][1]["state"]["values"]["same"] = json!([{ "py/id": 17 }]);
    let state = read(&value);
    let error = serde_json::to_value(&state).unwrap_err().to_string();
    assert!(error.contains("py/id"), "{error}");
}

#[test]
fn the_short_forms_of_javascript_are_written_out_for_the_others() {
    let value = json!({ "dialogStack": [{ "id": "p", "state": { "state": {}, "options": {
        "prompt": "which?", "retryPrompt": "again?", "choices": ["é"], "style": 3 } } }] });
    let mut state = read(&value);
    state.set_shape(Shape::Python);
    let written = serde_json::to_value(&state).unwrap();
    let options = &written["_dialog_stack"][0]["state"]["options"];
    assert_eq!(
        (&options["prompt"]["text"], &options["retry_prompt"]["type"]),
        (&json!("which?"), &json!("message"))
    );
    assert_eq!(options["choices"][0]["value"], "é");
    state.set_shape(Shape::DotNet);
    let written = serde_json::to_value(&state).unwrap();
    let options = &written["dialogStack"]["$values"][0]["state"]["options"];
    assert_eq!((&options["Prompt"]["text"], &options["Style"]), (&json!("which?"), &json!("list")));
    assert_eq!(options["Choices"]["$values"][0]["value"], "é");
    state.set_shape(Shape::JavaScript);
    assert_eq!(serde_json::to_value(&state).unwrap(), value);
}

#[test]
fn an_invalid_stack_is_refused() {
    for value in [
        json!([]),
        json!({ "dialogStack": 1 }),
        json!({ "dialogStack": [1] }),
        json!({ "dialogStack": [{ "state": {} }] }),
        json!({ "dialogStack": [{ "id": "a", "state": 1 }] }),
        json!({ "dialogStack": { "$values": 1 } }),
    ] {
        assert!(serde_json::from_value::<DialogState>(value.clone()).is_err(), "{value}");
    }
    let mut deep = json!({ "dialogStack": [] });
    for _ in 0..20 {
        deep = json!({ "dialogStack": [{ "id": "a", "state": { "dialogs": deep } }] });
    }
    assert!(serde_json::from_value::<DialogState>(deep).is_err());
}

#[test]
fn the_single_pass_codec_agrees_with_the_general_one() {
    let value = json!({ "dialogStack": [
        { "id": "root", "state": { "dialogs": { "dialogStack": [
            { "id": "w", "state": { "options": {}, "values": { "instanceId": "i", "x": "é\n" }, "stepIndex": 1 } },
            { "id": "text", "state": { "options": { "prompt": { "type": "message", "text": "\"?" } }, "state": { "attemptCount": 2 } } },
        ] } }, "version": "7" },
    ] });
    let quick = read(&value);
    assert!(!quick.is_foreign);
    let mut slow = read::state(value.clone()).unwrap();
    assert!(slow.is_foreign);
    assert_eq!(serde_json::to_value(&quick).unwrap(), value);
    assert_eq!(serde_json::to_value(&slow).unwrap(), value);
    let mut settled = quick;
    settled.load_options();
    for state in [&mut slow, &mut settled] {
        state.set_shape(Shape::DotNet);
    }
    assert_eq!(serde_json::to_value(&slow).unwrap(), serde_json::to_value(&settled).unwrap());
}
