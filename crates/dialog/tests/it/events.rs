//! Event bubbling between dialogs: the order of the listeners, and the events that they can stop.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use sayso_dialog::{
    ComponentDialog, Dialog, DialogContext, DialogTurn, Dialogs, Event, Instance, Reason, Result,
    Step, StepResult, TextPrompt, WaterfallDialog,
};
use sayso_turn::Bot;
use serde_json::{Value, json};

use crate::talk::Talk;

type Log = Arc<Mutex<Vec<String>>>;

/// A dialog that writes down what it hears, and takes care of some of it.
#[derive(Debug)]
struct Ear {
    id: &'static str,
    log: Log,
    cares_for: Option<&'static str>,
}

impl Ear {
    fn note(&self, what: &str) {
        self.log.lock().unwrap().push(format!("{} {what}", self.id));
    }
}

#[async_trait]
impl Dialog for Ear {
    fn id(&self) -> &str {
        self.id
    }

    async fn begin(&self, _: &mut DialogContext, _: Value) -> Result<DialogTurn> {
        Ok(DialogTurn::waiting())
    }

    async fn proceed(&self, dc: &mut DialogContext) -> Result<DialogTurn> {
        match dc.turn().text().to_owned().as_str() {
            "emit" => {
                let heard = dc.emit("custom", json!(1), true).await?;
                dc.turn().say(format!("heard: {heard}"));
                Ok(DialogTurn::waiting())
            }
            "cancel all" => dc.cancel_all_for(Event::CANCEL, Value::Null, true).await,
            "fail" if !self.log.lock().unwrap().iter().any(|line| line.contains("error")) => {
                Err("it broke".into())
            }
            "fail" => {
                dc.turn().say("mended");
                Ok(DialogTurn::waiting())
            }
            _ => Ok(DialogTurn::waiting()),
        }
    }

    async fn on_event(&self, _: &mut DialogContext, event: &Event) -> Result<bool> {
        self.note(&format!("before {}", event.name));
        Ok(self.cares_for == Some(&*event.name))
    }

    async fn on_event_after(&self, _: &mut DialogContext, event: &Event) -> Result<bool> {
        self.note(&format!("after {}", event.name));
        Ok(false)
    }

    async fn ended(&self, _: &mut DialogContext, _: &Instance, reason: Reason) -> Result<()> {
        self.note(&format!("ended {reason:?}"));
        Ok(())
    }
}

async fn begin_inner(step: Step<'_>) -> StepResult {
    step.begin("inner", Value::Null).await
}

/// root (component) > waterfall > inner (component) > ear.
fn bot(log: &Log, cares_for: Option<&'static str>) -> Bot {
    let ear = Ear { id: "ear", log: Arc::clone(log), cares_for };
    let inner = ComponentDialog::new("inner").with(ear);
    let root =
        ComponentDialog::new("root").with(WaterfallDialog::new("w").step(begin_inner)).with(inner);
    Dialogs::new(root).bot()
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().unwrap())
}

#[tokio::test]
async fn an_activity_is_announced_once_before_any_dialog_goes_on() {
    let log = Log::default();
    let mut talk = Talk::new(|| bot(&log, None));
    talk.say("hi").await;
    assert!(taken(&log).is_empty(), "nobody was there to hear it");
    talk.say("x").await;
    assert_eq!(taken(&log), ["ear before activityReceived", "ear after activityReceived"]);
}

#[tokio::test]
async fn a_handled_event_does_not_bubble() {
    let log = Log::default();
    let mut talk = Talk::new(|| bot(&log, Some("custom")));
    talk.say("hi").await;
    assert_eq!(talk.say("emit").await, ["heard: true"]);
    assert_eq!(taken(&log).last().unwrap(), "ear before custom");
    let mut talk = Talk::new(|| bot(&log, None));
    talk.say("hi").await;
    assert_eq!(talk.say("emit").await, ["heard: false"]);
    assert_eq!(taken(&log).last().unwrap(), "ear after custom");
}

#[tokio::test]
async fn an_inner_dialog_can_cancel_all_dialogs_around_it() {
    let log = Log::default();
    let mut talk = Talk::new(|| bot(&log, None));
    talk.say("hi").await;
    assert!(talk.say("cancel all").await.is_empty());
    assert_eq!(talk.state("DialogState"), json!({ "dialogStack": [] }));
    assert!(taken(&log).contains(&"ear ended Cancel".to_owned()));
}

#[tokio::test]
async fn a_turn_is_retried_after_a_dialog_handles_its_error() {
    let log = Log::default();
    let mut talk = Talk::new(|| bot(&log, Some(Event::ERROR)));
    talk.say("hi").await;
    assert_eq!(talk.say("fail").await, ["mended"]);
}

/// A dialog around others that hears of everything inside.
async fn stop(dc: &mut DialogContext) -> Result<Option<DialogTurn>> {
    if dc.turn().text() != "stop" {
        return Ok(None);
    }
    // A prompt above the whole component, which asks again when that is answered.
    dc.begin("sure", sayso_dialog::PromptOptions::ask("Sure?")).await.map(Some)
}

async fn ask(step: Step<'_>) -> StepResult {
    step.prompt("text", "Name?").await
}

#[tokio::test]
async fn a_prompt_asks_again_when_the_dialog_above_it_ends() {
    let bot = || {
        let root = ComponentDialog::new("root")
            .with(WaterfallDialog::new("w").step(ask))
            .with(TextPrompt::new("text"))
            .with(TextPrompt::new("sure"))
            .interrupted_by(stop);
        Dialogs::new(root).bot()
    };
    let mut talk = Talk::new(bot);
    assert_eq!(talk.say("hi").await, ["Name?"]);
    assert_eq!(talk.say("stop").await, ["Sure?"]);
    assert_eq!(talk.say("no").await, ["Name?"]);
}

async fn count(dc: &mut DialogContext, event: Event) -> Result<bool> {
    if event.name != "custom" && event.name != Event::CHANGED {
        return Ok(false);
    }
    dc.turn().say(format!("the root heard {}", event.name));
    Ok(true)
}

/// As [`bot`], but the root component hears of events.
fn hearing(log: &Log, cares_for: Option<&'static str>) -> Bot {
    let inner =
        ComponentDialog::new("inner").with(Ear { id: "ear", log: Arc::clone(log), cares_for });
    let root = ComponentDialog::new("root")
        .with(WaterfallDialog::new("w").step(begin_inner))
        .with(inner)
        .on_event(count);
    Dialogs::new(root).bot()
}

#[tokio::test]
async fn an_event_goes_out_to_a_component_that_listens() {
    let log = Log::default();
    let mut talk = Talk::new(|| hearing(&log, None));
    talk.say("hi").await;
    assert_eq!(talk.say("emit").await, ["the root heard custom", "heard: true"]);
    assert_eq!(taken(&log).last().unwrap(), "ear before custom", "nobody asks it again");
    let mut talk = Talk::new(|| hearing(&log, Some("custom")));
    talk.say("hi").await;
    assert_eq!(talk.say("emit").await, ["heard: true"], "it was taken care of inside");
}

#[tokio::test]
async fn a_component_can_handle_its_own_version_change() {
    let step = async |step: Step<'_>| -> StepResult { step.wait() };
    let old = move || {
        Dialogs::new(ComponentDialog::new("r").with(WaterfallDialog::new("w").step(step))).bot()
    };
    let new = move || {
        let waterfall = WaterfallDialog::new("w").step(step).step(step);
        let root = ComponentDialog::new("r").with(waterfall).on_event(count);
        Dialogs::new(root).on_change(sayso_dialog::Changed::Fail).bot()
    };
    let mut talk = Talk::new(old);
    talk.say("hi").await;
    assert_eq!(talk.deploy(new).say("x").await, ["the root heard versionChanged"]);
}
