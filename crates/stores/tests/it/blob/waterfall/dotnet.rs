//! A waterfall of the .NET SDK. It cannot run here: this is the shape that it keeps.

use azure_core::Bytes;
use sayso_stores::{Layout, blob::BlobConfig};
use serde_json::{Value, json};

use super::{
    super::{account, new_container, open},
    dialogues::numbers,
    say_to,
};

/// There is no .NET here: this is the shape that it keeps, and what it must find again.
#[tokio::test]
async fn a_waterfall_of_dotnet_goes_on_with_its_types() {
    const DICTIONARY: &str = "System.Collections.Generic.Dictionary`2[[System.String, System.Private.CoreLib],[System.Object, System.Private.CoreLib]], System.Private.CoreLib";
    let kind =
        |name: &str| format!("Microsoft.Bot.Builder.Dialogs.{name}, Microsoft.Bot.Builder.Dialogs");
    let list = format!(
        "System.Collections.Generic.List`1[[{}]], System.Private.CoreLib",
        kind("DialogInstance")
    );
    let stack = |items: Value| json!({ "$type": kind("DialogState"), "dialogStack": { "$type": list, "$values": items } });
    let number = json!({ "$type": kind("DialogInstance"), "id": "number", "StackIndex": null, "Version": null,
        "state": { "$type": DICTIONARY,
            "options": { "$type": kind("PromptOptions"), "RetryPrompt": null, "Choices": null, "Style": null,
                "Validations": null, "RecognizeLanguage": null, "Prompt": {
                    "$type": "Microsoft.Bot.Schema.Activity, Microsoft.Bot.Schema", "type": "message",
                    "channelId": "test", "conversation": {
                        "$type": "Microsoft.Bot.Schema.ConversationAccount, Microsoft.Bot.Schema", "id": "c" },
                    "text": "Enter a number.", "inputHint": "acceptingInput",
                    "attachments": { "$type": "System.Collections.Generic.List`1[[Microsoft.Bot.Schema.Attachment, Microsoft.Bot.Schema]], System.Private.CoreLib", "$values": [] } } },
            "state": { "$type": DICTIONARY, "AttemptCount": 0 } } });
    let own = json!({ "$type": "Bot.Profile, Bot", "Name": "Zoë", "Tags": {
        "$type": "System.Collections.Generic.List`1[[System.String, System.Private.CoreLib]], System.Private.CoreLib",
        "$values": ["é"] } });
    let waterfall = json!({ "$type": kind("DialogInstance"), "id": "waterfall", "StackIndex": null, "Version": null,
        "state": { "$type": DICTIONARY, "options": null, "instanceId": "a1b2", "stepIndex": 0,
            "values": { "$type": DICTIONARY, "own": own } } });
    let root = json!({ "$type": kind("DialogInstance"), "id": "root", "StackIndex": null,
        "Version": "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=",
        "state": { "$type": DICTIONARY, "dialogs": stack(json!([number, waterfall])) } });
    let body = json!({ "$type": DICTIONARY, "DialogState": stack(json!([root])) });

    let config = BlobConfig::from_connection_string(&account(), new_container()).unwrap();
    let store = open(config.with_layout(Layout::Dotnet)).await;
    let blob = store.client().blob_client("test%2fconversations%2fc");
    let _answer = blob.upload(Bytes::from(body.to_string()).into(), None).await.unwrap();
    let bot = || numbers::dialogs().bot();
    let said = [("1", "x"), ("2", "10")];
    let replies = say_to(bot(), &store, "c", &said).await;
    assert_eq!(replies, ["Enter a number.", "I have 10 now enter another number"]);

    let text = blob.download(None).await.unwrap().body.collect().await.unwrap();
    let written: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(written["$type"], DICTIONARY);
    let state = &written["DialogState"];
    assert_eq!(
        (&state["$type"], &state["dialogStack"]["$type"]),
        (&kind("DialogState").into(), &list.into())
    );
    let root = &state["dialogStack"]["$values"][0];
    assert_eq!(
        (&root["$type"], &root["state"]["$type"]),
        (&kind("DialogInstance").into(), &DICTIONARY.into())
    );
    let inner = &root["state"]["dialogs"];
    assert_eq!(inner["$type"], kind("DialogState"));
    let [prompt, waterfall] = inner["dialogStack"]["$values"].as_array().unwrap().as_slice() else {
        panic!("{inner}")
    };
    assert_eq!((&prompt["id"], &waterfall["id"]), (&json!("number"), &json!("waterfall")));
    assert_eq!(prompt["state"]["options"]["$type"], kind("PromptOptions"));
    assert_eq!(prompt["state"]["options"]["Prompt"]["text"], "I have 10 now enter another number");
    assert_eq!(prompt["state"]["state"], json!({ "$type": DICTIONARY, "AttemptCount": 0 }));
    let kept = &waterfall["state"];
    assert_eq!(kept["values"], json!({ "$type": DICTIONARY, "first": 10, "own": own }));
    assert_eq!((&kept["instanceId"], &kept["stepIndex"]), (&json!("a1b2"), &json!(1)));
    let replies = say_to(bot(), &store, "c", &[("3", "4")]).await;
    assert_eq!(replies, ["The result of the first minus the second is 6."]);
}
