//! Waterfalls, components and prompts, a fresh bot for every turn.

use sayso_activity::Activity;
use sayso_dialog::{
    Changed, Check, ChoicePrompt, ComponentDialog, DialogContext, DialogTurn, Dialogs, Late,
    NumberPrompt, PromptOptions, Result, Shape, Step, StepResult, TextPrompt, WaterfallDialog,
};
use sayso_turn::Bot;
use serde_json::{Value, json};

use crate::talk::{MINUTE, Talk};

/// The root dialog of the published scale-out sample.
mod scaleout {
    use super::*;

    async fn first(step: Step<'_>) -> StepResult {
        step.prompt("number", "Enter a number.").await
    }

    async fn second(mut step: Step<'_>) -> StepResult {
        let first: i64 = step.result()?;
        step.keep("first", first)?;
        step.prompt("number", format!("I have {first} now enter another number")).await
    }

    async fn difference(mut step: Step<'_>) -> StepResult {
        let (first, second): (i64, i64) = (step.value("first")?, step.result()?);
        step.say(format!("The result of the first minus the second is {}.", first - second));
        step.end(Value::Null).await
    }

    pub(super) fn dialogs() -> Dialogs {
        let waterfall = WaterfallDialog::new("waterfall").step(first).step(second).step(difference);
        let root = ComponentDialog::new("root").with(waterfall);
        Dialogs::new(root.with(NumberPrompt::<i64>::new("number")))
    }

    pub(super) fn bot() -> Bot {
        dialogs().bot()
    }
}

#[tokio::test]
async fn the_sample_subtracts() {
    let mut talk = Talk::new(scaleout::bot);
    for (said, expected) in [
        ("hi", "Enter a number."),
        ("hello", "Enter a number."),
        ("3.5", "Enter a number."),
        ("10", "I have 10 now enter another number"),
        ("four", "The result of the first minus the second is 6."),
        ("again", "Enter a number."),
    ] {
        assert_eq!(talk.say(said).await, [expected], "{said}");
    }
}

#[tokio::test]
async fn state_is_written_in_the_dotnet_format_on_request() {
    let mut talk = Talk::new(|| scaleout::dialogs().shape(Shape::DotNet).bot());
    assert_eq!(talk.say("hi").await, ["Enter a number."]);
    let state = talk.state("DialogState");
    let root = &state["dialogStack"]["$values"][0];
    assert_eq!(root["id"], "root");
    assert_eq!(root["Version"], "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=");
    let inner = &root["state"]["dialogs"]["dialogStack"]["$values"];
    assert_eq!((&inner[0]["id"], &inner[1]["id"]), (&json!("number"), &json!("waterfall")));
    assert_eq!(inner[0]["state"]["state"]["AttemptCount"], 0);
    assert_eq!(inner[0]["state"]["options"]["Prompt"]["text"], "Enter a number.");
    assert_eq!(inner[1]["state"]["stepIndex"], 0);
    talk.say("10").await;
    let state = talk.state("DialogState");
    let inner = &state["dialogStack"]["$values"][0]["state"]["dialogs"]["dialogStack"]["$values"];
    assert_eq!(inner[1]["state"]["values"]["first"], 10);
    assert_eq!(talk.say("4").await, ["The result of the first minus the second is 6."]);
}

#[tokio::test]
async fn an_event_that_comes_too_late_begins_nothing() {
    let mut talk = Talk::new(scaleout::bot);
    assert!(talk.send(Activity::event("sayso/deadline")).await.is_empty());
    assert_eq!(talk.say("hi").await, ["Enter a number."]);
}

#[tokio::test]
async fn other_activities_do_not_advance_a_dialog() {
    let mut talk = Talk::new(scaleout::bot);
    talk.say("hi").await;
    for activity in [Activity::typing(), Activity::event("x"), Activity::event("sayso/deadline")] {
        assert!(talk.send(activity).await.is_empty());
    }
    assert_eq!(talk.say("1").await, ["I have 1 now enter another number"]);
}

fn with_prompt(prompt: fn() -> NumberPrompt<u8>, options: fn() -> PromptOptions) -> Bot {
    async fn tell(mut step: Step<'_>) -> StepResult {
        let age: Value = step.result()?;
        step.say(format!("{age}"));
        step.end(age).await
    }
    let waterfall = WaterfallDialog::new("w").step(Ask(options)).step(tell);
    Dialogs::new(ComponentDialog::new("root").with(waterfall).with(prompt())).bot()
}

/// A step that asks with options made for it.
struct Ask(fn() -> PromptOptions);

impl<'a> sayso_dialog::StepFn<'a> for Ask {
    fn run(&self, step: Step<'a>) -> futures_util::future::BoxFuture<'a, StepResult> {
        let options = (self.0)();
        Box::pin(step.prompt("age", options))
    }
}

#[tokio::test]
async fn a_validator_decides_and_counts_attempts() {
    fn prompt() -> NumberPrompt<u8> {
        NumberPrompt::new("age").validate(|check: &mut Check<'_, u8>| {
            if check.attempt > 2 {
                check.value = Some(99);
            }
            check.value.is_some_and(|age| age >= 18)
        })
    }
    let options = || PromptOptions::ask("How old?").retry("Really?");
    let mut talk = Talk::new(move || with_prompt(prompt, options));
    assert_eq!(talk.say("hi").await, ["How old?"]);
    assert_eq!(talk.say("seven").await, ["Really?"]);
    assert_eq!(talk.say("7").await, ["Really?"]);
    assert_eq!(talk.say("7").await, ["99"]);
}

#[tokio::test]
async fn options_set_the_language_and_the_data_of_the_validator() {
    fn checked() -> NumberPrompt<u8> {
        NumberPrompt::new("age").validate(|check: &mut Check<'_, u8>| {
            let least = check.validations["least"].as_u64();
            check.value.map(u64::from) >= least && least.is_some()
        })
    }
    let options = || PromptOptions::ask("How old?").validations(json!({ "least": 18 }));
    let mut talk = Talk::new(move || with_prompt(checked, options));
    talk.say("hi").await;
    assert_eq!(talk.say("17").await, ["How old?"]);
    assert_eq!(talk.say("18").await, ["18"]);

    let options = || PromptOptions::ask("Quel age?").language("fr-fr");
    let mut talk = Talk::new(move || with_prompt(|| NumberPrompt::new("age"), options));
    talk.say("hi").await;
    assert_eq!(talk.say("seven").await, ["Quel age?"]);
    assert_eq!(talk.say("sept").await, ["7"]);
}

#[tokio::test]
async fn a_deadline_takes_the_default_reminds_or_cancels() {
    fn prompt() -> NumberPrompt<u8> {
        NumberPrompt::new("age")
    }
    let default = || PromptOptions::ask("How old?").within(MINUTE, Late::Default(json!(42)));
    let mut talk = Talk::new(move || with_prompt(prompt, default));
    assert_eq!(talk.say("hi").await, ["How old?"]);
    assert_eq!(talk.late().await, ["42"]);

    let remind = || PromptOptions::ask("How old?").within(MINUTE, Late::Remind);
    let mut talk = Talk::new(move || with_prompt(prompt, remind));
    talk.say("hi").await;
    assert_eq!(talk.late().await, ["How old?"]);
    assert_eq!(talk.say("7").await, ["7"]);

    let cancel = || PromptOptions::ask("How old?").within(MINUTE, Late::Cancel);
    let mut talk = Talk::new(move || with_prompt(prompt, cancel));
    talk.say("hi").await;
    assert!(talk.late().await.is_empty());
    assert_eq!(talk.state("DialogState"), json!({ "dialogStack": [] }));
    assert_eq!(talk.say("7").await, ["How old?"], "it begins anew");
}

#[tokio::test]
async fn a_met_deadline_does_not_affect_the_next_question() {
    fn prompt() -> NumberPrompt<u8> {
        NumberPrompt::new("age")
    }
    let default = || PromptOptions::ask("How old?").within(MINUTE, Late::Default(json!(42)));
    let mut talk = Talk::new(move || with_prompt(prompt, default));
    talk.say("hi").await;
    assert_eq!(talk.say("7").await, ["7"]);
    assert_eq!(talk.say("hi").await, ["How old?"]);
    assert!(talk.late().await.is_empty(), "the first timer means the first question");
    assert_eq!(talk.late().await, ["42"]);
}

async fn cancel(dc: &mut DialogContext) -> Result<Option<DialogTurn>> {
    match dc.turn().text() {
        "cancel" => {
            dc.turn().say("Cancelled.");
            dc.cancel_all().await.map(Some)
        }
        "help" => {
            dc.turn().say("Say something.");
            dc.reprompt().await?;
            Ok(Some(DialogTurn::waiting()))
        }
        _ => Ok(None),
    }
}

async fn name(step: Step<'_>) -> StepResult {
    step.prompt("text", "Name?").await
}

async fn size(step: Step<'_>) -> StepResult {
    let name: String = step.result()?;
    step.begin("inner", json!({ "name": name })).await
}

async fn done(mut step: Step<'_>) -> StepResult {
    let result: Value = step.result()?;
    step.say(format!("Done: {result}"));
    step.end(result).await
}

async fn inner_size(step: Step<'_>) -> StepResult {
    let options: Value = step.options()?;
    let question = format!("Size for {}?", options["name"].as_str().unwrap_or_default());
    step.prompt("choice", PromptOptions::ask(question).choices(["small", "large"])).await
}

async fn inner_done(step: Step<'_>) -> StepResult {
    let found: sayso_dialog::choice::FoundChoice = step.result()?;
    step.end(found.value).await
}

fn nested() -> Bot {
    let inner = ComponentDialog::new("inner")
        .with(WaterfallDialog::new("w").step(inner_size).step(inner_done))
        .with(ChoicePrompt::new("choice"));
    let root = ComponentDialog::new("root")
        .with(WaterfallDialog::new("w").step(name).step(size).step(done))
        .with(TextPrompt::new("text"))
        .with(inner)
        .interrupted_by(cancel);
    Dialogs::new(root).bot()
}

#[tokio::test]
async fn components_nest_and_give_their_results_up() {
    let mut talk = Talk::new(nested);
    assert_eq!(talk.say("hi").await, ["Name?"]);
    assert_eq!(talk.say("Ann").await, ["Size for Ann? (1) small or (2) large"]);
    assert_eq!(talk.say("help").await, ["Say something.", "Size for Ann? (1) small or (2) large"]);
    assert_eq!(talk.say("2").await, [r#"Done: "large""#]);
    assert_eq!(talk.state("DialogState"), json!({ "dialogStack": [] }));
}

#[tokio::test]
async fn an_interruption_cancels_the_whole_stack() {
    let mut talk = Talk::new(nested);
    talk.say("hi").await;
    talk.say("Ann").await;
    assert_eq!(talk.say("cancel").await, ["Cancelled."]);
    assert_eq!(talk.state("DialogState"), json!({ "dialogStack": [] }));
    assert_eq!(talk.say("hi").await, ["Name?"]);
}

async fn again(mut step: Step<'_>) -> StepResult {
    let count: u32 = step.options::<Option<u32>>()?.unwrap_or_default();
    step.say(format!("Round {count}"));
    if count < 3 { step.replace("loop", count + 1).await } else { step.next("out") }
}

#[tokio::test]
async fn a_waterfall_can_replace_itself() {
    let last = async |mut step: Step<'_>| -> StepResult {
        let word: String = step.result()?;
        step.say(word);
        step.end(Value::Null).await
    };
    let bot = move || Dialogs::new(WaterfallDialog::new("loop").step(again).step(last)).bot();
    let said = Talk::new(bot).say("go").await;
    assert_eq!(said, ["Round 0", "Round 1", "Round 2", "Round 3", "out"]);
}

async fn deeper(step: Step<'_>) -> StepResult {
    step.begin("deeper", Value::Null).await
}

#[tokio::test]
async fn endless_recursion_fails_with_the_depth_limit() {
    let bot = Dialogs::new(WaterfallDialog::new("deeper").step(deeper)).bot();
    let activity = Activity::from_json(
        br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"}}"#,
    );
    let error = sayso_turn::run(&bot, activity.unwrap(), Default::default()).await.unwrap_err();
    assert!(format!("{error:?}").contains("more than 64 dialogs"), "{error:?}");
}

/// The same bot after a deployment that adds a question before the end.
fn deployed(changed: Changed) -> Bot {
    async fn extra(mut step: Step<'_>) -> StepResult {
        let second: i64 = step.result()?;
        step.keep("second", second)?;
        step.prompt("number", "And a third one.").await
    }
    async fn first(step: Step<'_>) -> StepResult {
        step.prompt("number", "Enter a number.").await
    }
    async fn second(mut step: Step<'_>) -> StepResult {
        let first: i64 = step.result()?;
        step.keep("first", first)?;
        step.prompt("number", "Another one.").await
    }
    async fn sum(mut step: Step<'_>) -> StepResult {
        let (first, second): (i64, i64) = (step.value("first")?, step.value("second")?);
        let third: i64 = step.result()?;
        step.say(format!("{}", first + second + third));
        step.end(Value::Null).await
    }
    let waterfall =
        WaterfallDialog::new("waterfall").step(first).step(second).step(extra).step(sum);
    let root =
        ComponentDialog::new("root").with(waterfall).with(NumberPrompt::<i64>::new("number"));
    Dialogs::new(root).on_change(changed).bot()
}

#[tokio::test]
async fn a_deployment_that_adds_a_step_goes_by_the_policy() {
    let begun = async || {
        let mut talk = Talk::new(scaleout::bot);
        talk.say("hi").await;
        talk.say("10").await;
        talk
    };
    let mut talk = begun().await.deploy(|| deployed(Changed::Continue));
    assert_eq!(talk.say("4").await, ["And a third one."]);
    assert_eq!(talk.say("1").await, ["15"]);

    let notice = || Changed::Restart(Some("We have changed. Once more, please.".to_owned()));
    let mut talk = begun().await.deploy(move || deployed(notice()));
    assert_eq!(talk.say("4").await, ["We have changed. Once more, please.", "Enter a number."]);

    let talk = begun().await;
    let activity = Activity::from_json(
        br#"{"type":"message","id":"9","channelId":"test","conversation":{"id":"c"},"text":"4"}"#,
    );
    let bot = deployed(Changed::Fail);
    let error = sayso_turn::run(&bot, activity.unwrap(), talk.documents).await.unwrap_err();
    assert!(format!("{error:?}").contains("was changed while"), "{error:?}");
}

#[tokio::test]
async fn a_named_step_is_found_after_it_has_moved() {
    async fn ask(step: Step<'_>) -> StepResult {
        step.prompt("text", "Name?").await
    }
    async fn greet(mut step: Step<'_>) -> StepResult {
        let name: String = step.result()?;
        step.say(format!("Hello, {name}."));
        step.end(Value::Null).await
    }
    async fn welcome(mut step: Step<'_>) -> StepResult {
        step.say("Welcome.");
        step.next(Value::Null)
    }
    let old = || {
        let waterfall = WaterfallDialog::new("w").named("ask", ask).named("greet", greet);
        Dialogs::new(ComponentDialog::new("r").with(waterfall).with(TextPrompt::new("text"))).bot()
    };
    let new = || {
        let waterfall = WaterfallDialog::new("w").step(welcome).named("ask", ask);
        let waterfall = waterfall.named("greet", greet);
        Dialogs::new(ComponentDialog::new("r").with(waterfall).with(TextPrompt::new("text"))).bot()
    };
    let mut talk = Talk::new(old);
    assert_eq!(talk.say("hi").await, ["Name?"]);
    assert_eq!(talk.deploy(new).say("Ann").await, ["Hello, Ann."]);
}

#[tokio::test]
async fn a_stack_of_another_sdk_goes_on_and_is_written_back_as_it_was() {
    let number = json!({ "id": "number", "StackIndex": null, "Version": null, "state": {
        "options": { "Prompt": { "type": "message", "text": "Enter a number." } },
        "state": { "AttemptCount": 0 } } });
    let waterfall = json!({ "id": "waterfall", "StackIndex": null, "Version": null, "state": {
        "options": null, "values": { "first": 10 }, "instanceId": "x", "stepIndex": 1 } });
    let inner = json!({ "dialogStack": { "$type": "L", "$values": [number, waterfall] } });
    let state = json!({ "$type": "D", "dialogStack": { "$type": "L", "$values": [
        { "id": "root", "StackIndex": null, "Version": "WYwAwR21km+QJBR4txNMuJwJKNJ2eKki9/5R/hh/tIE=",
          "state": { "dialogs": inner } } ] } });
    let mut talk = Talk::new(scaleout::bot);
    talk.set_state("DialogState", &state);
    assert_eq!(talk.say("nothing").await, ["Enter a number."]);
    let kept = talk.state("DialogState");
    let inner = &kept["dialogStack"]["$values"][0]["state"]["dialogs"]["dialogStack"]["$values"];
    assert_eq!(inner[0]["state"]["state"]["AttemptCount"], 1);
    assert_eq!(talk.say("4").await, ["The result of the first minus the second is 6."]);
}
