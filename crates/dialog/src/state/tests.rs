//! Stacks of three SDKs, there and back.

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
fn a_stack_of_dotnet_is_turned_over_and_stripped() {
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
        let again = read(&written);
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
fn a_python_prompt_is_understood() {
    let value = json!({ "py/object": "botbuilder.dialogs.dialog_state.DialogState", "_dialog_stack": [
        { "py/object": "botbuilder.dialogs.dialog_instance.DialogInstance", "id": "number", "state": {
            "options": { "py/object": "x", "prompt": { "py/object": "y", "input_hint": "expectingInput",
                "text": "Enter a number.", "from_property": null }, "retry_prompt": { "py/id": 3 },
                "number_of_attempts": 2, "choices": null },
            "state": {} } },
        { "py/object": "z", "id": "waterfall", "state": { "stepIndex": 0, "instanceId": "i", "values": {}, "options": null } },
    ] });
    let state = read(&value);
    let prompt = &state.stack[1];
    assert_eq!(prompt.id(), "number");
    assert_eq!(prompt.state["options"]["prompt"], json!({ "inputHint": "expectingInput", "text": "Enter a number." }));
    assert_eq!(prompt.state["options"]["retryPrompt"], Value::Null);
    assert_eq!(prompt.state["state"]["attemptCount"], 2);
}

#[test]
fn what_is_not_a_stack_is_refused() {
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
