//! Invokes with a shape of their own: refused before the handler, or answered by what it gives.

use sayso_turn::{
    ActivityHandler, Bot, BotError, Turn,
    activity::{
        Activity, AdaptiveCard, AdaptiveCardInvoke, AdaptiveCardResponse, SearchInvoke,
        SearchResponse, SearchResult,
    },
};
use serde_json::{Value, json};

use super::{outcome, texts};

async fn pressed(turn: &mut Turn, press: &AdaptiveCardInvoke) -> AdaptiveCardResponse {
    // Across an await, as handlers do.
    *turn.user::<u32>().await.unwrap() += 1;
    turn.say(format!("pressed {}", press.verb()));
    if press.verb() == "own" {
        turn.send(Activity::invoke_response(202, None));
    }
    AdaptiveCardResponse::card(&AdaptiveCard::new(json!({ "type": "AdaptiveCard" })))
}

fn found(search: &SearchInvoke) -> SearchResponse {
    let text = search.query_text.clone().unwrap_or_default();
    SearchResponse::new([SearchResult::new(format!("{text}zza"), text)])
}

fn closures() -> Bot {
    Bot::new()
        .on_card_action(async |mut turn: Turn, press: AdaptiveCardInvoke| {
            Ok(pressed(&mut turn, &press).await)
        })
        .on_search(async |_turn: Turn, search: SearchInvoke| Ok(found(&search)))
}

struct Ported;

impl ActivityHandler for Ported {
    async fn on_card_action(
        &self,
        turn: &mut Turn,
        press: AdaptiveCardInvoke,
    ) -> Result<Option<AdaptiveCardResponse>, BotError> {
        Ok(Some(pressed(turn, &press).await))
    }

    async fn on_search(
        &self,
        _: &mut Turn,
        search: SearchInvoke,
    ) -> Result<Option<SearchResponse>, BotError> {
        Ok(Some(found(&search)))
    }
}

fn error(code: &str, message: &str) -> (u16, Option<Value>) {
    let value = json!({ "code": code, "message": message });
    let kind = "application/vnd.microsoft.error";
    (400, Some(json!({ "statusCode": 400, "type": kind, "value": value })))
}

fn card() -> (u16, Option<Value>) {
    let kind = "application/vnd.microsoft.card.adaptive";
    (200, Some(json!({ "statusCode": 200, "type": kind, "value": { "type": "AdaptiveCard" } })))
}

fn results() -> (u16, Option<Value>) {
    let kind = "application/vnd.microsoft.search.searchResponse";
    let value = json!({ "results": [{ "title": "pizza", "value": "pi" }] });
    (200, Some(json!({ "statusCode": 200, "type": kind, "value": value })))
}

#[tokio::test]
async fn an_invoke_is_checked_then_handled_then_answered_in_both_forms() {
    let press = |value: &str| format!(r#""type":"invoke","name":"adaptiveCard/action"{value}"#);
    let search = |value: &str| format!(r#""type":"invoke","name":"application/search"{value}"#);
    let execute = r#","value":{"action":{"type":"Action.Execute","verb":"go"}}"#;
    let own = r#","value":{"action":{"type":"Action.Execute","verb":"own"}}"#;
    let submit = r#","value":{"action":{"type":"Action.Submit"}}"#;
    let only = "only actions of type Action.Execute are handled";
    let table = [
        (press(""), error("BadRequest", "the invoke has no value"), None),
        (press(r#","value":{}"#), error("BadRequest", "the value has no action"), None),
        (press(submit), error("NotSupported", only), None),
        (press(execute), card(), Some("pressed go")),
        (press(own), (202, None), Some("pressed own")),
        (search(""), error("BadRequest", "the invoke has no value"), None),
        (
            search(r#","value":{"queryText":"pi"}"#),
            error("BadRequest", "the search has no kind"),
            None,
        ),
        (
            search(r#","value":{"kind":"search"}"#),
            error("BadRequest", "the search has no queryText"),
            None,
        ),
        (search(r#","value":{"kind":"search","queryText":"pi"}"#), results(), None),
    ];
    for (form, bot) in [("closures", closures()), ("trait", Bot::from(Ported))] {
        for (members, expected, said) in &table {
            let outcome = outcome(&bot, members).await;
            let response = outcome.response.clone().unwrap();
            let body = response.body.map(|body| body.get::<Value>().unwrap());
            assert_eq!((response.status, body), *expected, "{form}: {members}");
            assert_eq!(texts(&outcome), said.as_slice(), "{form}: {members}");
        }
    }
}

#[tokio::test]
async fn an_invoke_that_nobody_answers_has_no_response() {
    struct Silent;
    impl ActivityHandler for Silent {}
    let bot = Bot::from(Silent);
    for members in [
        r#""type":"invoke","name":"adaptiveCard/action","value":{"action":{"type":"Action.Execute"}}"#,
        r#""type":"invoke","name":"application/search","value":{"kind":"search","queryText":"a"}"#,
        r#""type":"invoke","name":"signin/verifyState""#,
        r#""type":"invoke","name":"own""#,
        r#""type":"invoke""#,
    ] {
        assert!(outcome(&bot, members).await.response.is_none(), "{members}");
    }
    assert!(!sayso_turn::Logic::handles(&Bot::new(), &super::activity(r#""type":"invoke""#)));
}
