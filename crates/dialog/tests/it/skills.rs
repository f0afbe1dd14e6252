//! Dialogs of a skill: the bot that called is told when they end, and ends them.

use sayso_activity::{Activity, Kind};
use sayso_dialog::{
    ComponentDialog, DialogHost, Dialogs, Step, StepResult, TextPrompt, WaterfallDialog,
};
use sayso_turn::Bag;
use serde_json::json;

fn dialogs() -> Dialogs {
    async fn ask(step: Step<'_>) -> StepResult {
        step.prompt("text", "What is your name?").await
    }
    async fn greet(mut step: Step<'_>) -> StepResult {
        let name: String = step.result()?;
        step.say(format!("Hello, {name}."));
        step.end(json!({"name": name})).await
    }
    let root = ComponentDialog::new("root")
        .with(WaterfallDialog::new("hello").step(ask).step(greet))
        .with(TextPrompt::new("text"));
    Dialogs::new(root)
}

fn inbound(kind: Kind, text: &str, caller: Option<&str>) -> Activity {
    let message = json!({
        "type": "message", "id": text, "text": text, "channelId": "webchat",
        "conversation": {"id": "c"}, "from": {"id": "ann"},
    });
    let mut activity = Activity::from_json(message.to_string().as_bytes()).unwrap();
    activity.kind = kind;
    if let Some(caller) = caller {
        activity.enter_skill(caller);
    }
    activity
}

async fn run(dialogs: &Dialogs, activity: Activity, state: Bag) -> (Vec<Activity>, Bag) {
    DialogHost::run(dialogs, activity, state).await.unwrap()
}

#[tokio::test]
async fn a_calling_bot_is_told_the_result_of_the_dialogs_and_a_channel_is_not() {
    for (caller, kinds) in
        [(None, vec![Kind::Message]), (Some("p"), vec![Kind::Message, Kind::EndOfConversation])]
    {
        let dialogs = dialogs();
        let hi = inbound(Kind::Message, "hi", caller);
        let (said, state) = run(&dialogs, hi, Bag::default()).await;
        assert_eq!(said.len(), 1, "the dialogs have not ended: {said:?}");
        let (said, _) = run(&dialogs, inbound(Kind::Message, "Ann", caller), state).await;
        assert_eq!(said.iter().map(|one| one.kind.clone()).collect::<Vec<_>>(), kinds);
        if let Some(end) = said.get(1) {
            assert_eq!(end.code.as_deref(), Some("completedSuccessfully"));
            assert_eq!(end.value.as_ref().unwrap().as_str(), r#"{"name":"Ann"}"#);
        }
    }
    // Whoever has a handler for the end says what it wants.
    let own = dialogs().on_done(async |mut turn, _| {
        turn.say("done");
        Ok(())
    });
    let (_, state) = run(&own, inbound(Kind::Message, "hi", Some("p")), Bag::default()).await;
    let (said, _) = run(&own, inbound(Kind::Message, "Ann", Some("p")), state).await;
    assert_eq!(said.iter().map(Activity::text).collect::<Vec<_>>(), ["Hello, Ann.", "done"]);
}

#[tokio::test]
async fn a_calling_bot_ends_the_dialogs_and_a_channel_does_not() {
    for (caller, answer) in [(None, "Hello, Ann."), (Some("p"), "What is your name?")] {
        let dialogs = dialogs();
        let hi = inbound(Kind::Message, "hi", caller);
        let (_, state) = run(&dialogs, hi, Bag::default()).await;
        let end = inbound(Kind::EndOfConversation, "end", caller);
        let (said, state) = run(&dialogs, end, state).await;
        assert!(said.is_empty(), "{said:?}");
        let (said, _) = run(&dialogs, inbound(Kind::Message, "Ann", caller), state).await;
        assert_eq!(said[0].text(), answer);
    }
}
