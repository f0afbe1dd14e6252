//! Dispatch of activities to handlers: one table, run on closures and on the trait for ported bots.

mod hooks;
mod invokes;
mod middleware;

use sayso_turn::{
    ActivityHandler, Bot, BotError, Documents, Logic, Outcome, Turn,
    activity::{Account, Activity, Kind, Reaction, TokenResponse},
    run,
};

/// An activity in a conversation with the bot `b`, from some members of its JSON.
fn activity(members: &str) -> Activity {
    let text = format!(
        r#"{{"id":"1","channelId":"test","conversation":{{"id":"c"}},"from":{{"id":"u"}},
            "recipient":{{"id":"b"}},{members}}}"#
    );
    Activity::from_json(text.as_bytes()).unwrap()
}

pub(crate) async fn outcome(bot: &dyn Logic, members: &str) -> Outcome {
    run(bot, activity(members), Documents::new()).await.unwrap()
}

fn texts(outcome: &Outcome) -> Vec<&str> {
    outcome.replies.iter().map(Activity::text).collect()
}

fn ids(members: &[Account]) -> String {
    let ids: Vec<&str> = members.iter().filter_map(|who| who.id.as_deref()).collect();
    ids.join(",")
}

fn kinds(reactions: &[Reaction]) -> String {
    let kinds: Vec<&str> = reactions.iter().filter_map(|one| one.kind.as_deref()).collect();
    kinds.join(",")
}

fn token(response: &TokenResponse) -> String {
    response.token.as_ref().map(|token| token.reveal().to_owned()).unwrap_or_default()
}

/// Activities and the expected replies: of closures, then of the trait where it differs.
const TABLE: &[(&str, &[&str])] = &[
    (r#""type":"message","text":"hi""#, &["message"]),
    (r#""type":"messageUpdate","text":"hi""#, &["message update"]),
    (r#""type":"messageDelete""#, &["message delete"]),
    (r#""type":"conversationUpdate","membersAdded":[{"id":"b"},{"id":"x"}]"#, &["added x"]),
    (r#""type":"conversationUpdate","membersAdded":[{"id":"x"},{"id":"y"}]"#, &["added x,y"]),
    (r#""type":"conversationUpdate","membersRemoved":[{"id":"b"},{"id":"x"}]"#, &["removed x"]),
    (
        r#""type":"conversationUpdate","membersAdded":[{"id":"x"}],"membersRemoved":[{"id":"y"}]"#,
        &["added x"],
    ),
    (r#""type":"conversationUpdate","topicName":"t""#, &["conversation update"]),
    (r#""type":"messageReaction","reactionsAdded":[{"type":"like"}]"#, &["reacted like"]),
    (r#""type":"messageReaction","reactionsRemoved":[{"type":"plusOne"}]"#, &["unreacted plusOne"]),
    (
        r#""type":"messageReaction","reactionsRemoved":[{"type":"a"}],"reactionsAdded":[{"type":"b"},{"type":"c"}]"#,
        &["reacted b,c", "unreacted a"],
    ),
    (r#""type":"installationUpdate","action":"add""#, &["installed"]),
    (r#""type":"installationUpdate","action":"add-upgrade""#, &["installed"]),
    (r#""type":"installationUpdate","action":"remove""#, &["uninstalled"]),
    (r#""type":"installationUpdate","action":"remove-upgrade""#, &["uninstalled"]),
    (r#""type":"event","name":"moved""#, &["event"]),
    (r#""type":"event","name":"tokens/response","value":{"token":"t0"}"#, &["token t0"]),
    (r#""type":"event","name":"tokens/response","value":7"#, &["event"]),
    (r#""type":"invoke","name":"own""#, &["invoke"]),
    (r#""type":"invoke","name":"signin/verifyState""#, &["verify state"]),
    (r#""type":"invoke","name":"signin/tokenExchange""#, &["token exchange"]),
    (r#""type":"typing""#, &["typing"]),
    (r#""type":"endOfConversation""#, &["end"]),
    (r#""type":"command","name":"go""#, &["command"]),
    (r#""type":"commandResult","name":"go""#, &["command result"]),
    (r#""type":"handoff""#, &["handoff"]),
    (r#""type":"trace""#, &["unrecognized"]),
    (r#""type":"suggestion""#, &["unrecognized"]),
    (r#""type":"contactRelationUpdate","action":"add""#, &["unrecognized"]),
    (r#""type":"deleteUserData""#, &["unrecognized"]),
    (r#""type":"own""#, &["unrecognized"]),
    (r#""type":"Message","text":"another type""#, &["unrecognized"]),
];

/// A handler that says one thing.
fn say(text: &'static str) -> impl Fn(Turn) -> std::future::Ready<Result<(), BotError>> {
    move |mut turn| {
        turn.say(text);
        std::future::ready(Ok(()))
    }
}

fn closures() -> Bot {
    Bot::new()
        .on_message(say("message"))
        .on_message_update(say("message update"))
        .on_message_delete(say("message delete"))
        .on_members_added(async |mut turn: Turn, members| {
            turn.say(format!("added {}", ids(&members)));
            Ok(())
        })
        .on_members_removed(async |mut turn: Turn, members| {
            turn.say(format!("removed {}", ids(&members)));
            Ok(())
        })
        .on(Kind::ConversationUpdate, say("conversation update"))
        // In this order on purpose: what was put on is told first all the same.
        .on_reactions_removed(async |mut turn: Turn, reactions| {
            turn.say(format!("unreacted {}", kinds(&reactions)));
            Ok(())
        })
        .on_reactions_added(async |mut turn: Turn, reactions| {
            turn.say(format!("reacted {}", kinds(&reactions)));
            Ok(())
        })
        .on_installed(say("installed"))
        .on_uninstalled(say("uninstalled"))
        .on_token_response(async |mut turn: Turn, response| {
            turn.say(format!("token {}", token(&response)));
            Ok(())
        })
        .on_event("moved", say("event"))
        .on_event("tokens/response", say("event"))
        .on_invoke("own", say("invoke"))
        .on_invoke("signin/verifyState", say("verify state"))
        .on_invoke("signin/tokenExchange", say("token exchange"))
        .on_typing(say("typing"))
        .on_end_of_conversation(say("end"))
        .on_command("go", say("command"))
        .on_command_result("go", say("command result"))
        .on_handoff(say("handoff"))
        .on_any(say("unrecognized"))
}

struct Ported;

type Done = Result<(), BotError>;

fn says(turn: &mut Turn, text: impl Into<String>) -> Done {
    turn.say(text);
    Ok(())
}

impl ActivityHandler for Ported {
    async fn on_message(&self, turn: &mut Turn) -> Done {
        says(turn, "message")
    }
    async fn on_message_update(&self, turn: &mut Turn) -> Done {
        says(turn, "message update")
    }
    async fn on_message_delete(&self, turn: &mut Turn) -> Done {
        says(turn, "message delete")
    }
    async fn on_members_added(&self, turn: &mut Turn, members: Vec<Account>) -> Done {
        says(turn, format!("added {}", ids(&members)))
    }
    async fn on_members_removed(&self, turn: &mut Turn, members: Vec<Account>) -> Done {
        says(turn, format!("removed {}", ids(&members)))
    }
    async fn on_conversation_update(&self, turn: &mut Turn) -> Done {
        says(turn, "conversation update")
    }
    async fn on_reactions_added(&self, turn: &mut Turn, reactions: Vec<Reaction>) -> Done {
        says(turn, format!("reacted {}", kinds(&reactions)))
    }
    async fn on_reactions_removed(&self, turn: &mut Turn, reactions: Vec<Reaction>) -> Done {
        says(turn, format!("unreacted {}", kinds(&reactions)))
    }
    async fn on_event(&self, turn: &mut Turn) -> Done {
        says(turn, "event")
    }
    async fn on_token_response(&self, turn: &mut Turn, response: TokenResponse) -> Done {
        says(turn, format!("token {}", token(&response)))
    }
    async fn on_invoke(&self, turn: &mut Turn) -> Done {
        says(turn, "invoke")
    }
    async fn on_sign_in_verify_state(&self, turn: &mut Turn) -> Done {
        says(turn, "verify state")
    }
    async fn on_sign_in_token_exchange(&self, turn: &mut Turn) -> Done {
        says(turn, "token exchange")
    }
    async fn on_installed(&self, turn: &mut Turn) -> Done {
        says(turn, "installed")
    }
    async fn on_uninstalled(&self, turn: &mut Turn) -> Done {
        says(turn, "uninstalled")
    }
    async fn on_typing(&self, turn: &mut Turn) -> Done {
        says(turn, "typing")
    }
    async fn on_end_of_conversation(&self, turn: &mut Turn) -> Done {
        says(turn, "end")
    }
    async fn on_command(&self, turn: &mut Turn) -> Done {
        says(turn, "command")
    }
    async fn on_command_result(&self, turn: &mut Turn) -> Done {
        says(turn, "command result")
    }
    async fn on_handoff(&self, turn: &mut Turn) -> Done {
        says(turn, "handoff")
    }
    async fn on_unrecognized(&self, turn: &mut Turn) -> Done {
        says(turn, "unrecognized")
    }
}

#[tokio::test]
async fn each_activity_has_its_handler_in_both_forms() {
    let forms = [("closures", closures()), ("trait", Bot::from(Ported))];
    for (form, bot) in forms {
        for (members, expected) in TABLE {
            assert!(bot.handles(&activity(members)), "{form}: {members}");
            let outcome = outcome(&bot, members).await;
            assert_eq!(texts(&outcome), *expected, "{form}: {members}");
            assert!(outcome.response.is_none(), "{form}: {members}");
        }
    }
}

/// Activities that are for none of the handlers, though they look like it.
const NOBODY: [&str; 5] = [
    r#""type":"conversationUpdate","membersAdded":[{"id":"b"}]"#,
    r#""type":"conversationUpdate","membersRemoved":[{"id":"b"}]"#,
    r#""type":"conversationUpdate","membersAdded":[{"id":"b"}],"membersRemoved":[{"id":"x"}]"#,
    r#""type":"installationUpdate","action":"else""#,
    r#""type":"messageReaction","reactionsAdded":[],"reactionsRemoved":null"#,
];

#[tokio::test]
async fn what_is_about_the_bot_alone_or_about_nothing_has_no_handler() {
    let bot = Bot::new()
        .on_joined(say("joined"))
        .on_members_removed(async |mut turn: Turn, _| says(&mut turn, "removed"))
        .on_installed(say("installed"))
        .on_uninstalled(say("uninstalled"))
        .on_reactions_added(async |mut turn: Turn, _| says(&mut turn, "reacted"))
        .on_reactions_removed(async |mut turn: Turn, _| says(&mut turn, "unreacted"));
    let ported = Bot::from(Ported);
    for members in NOBODY {
        assert!(!bot.handles(&activity(members)), "{members}");
        assert!(texts(&outcome(&bot, members).await).is_empty(), "{members}");
        assert!(texts(&outcome(&ported, members).await).is_empty(), "{members}");
    }
}

#[tokio::test]
async fn the_first_handler_that_fits_runs_alone_and_the_one_for_anything_last() {
    let tick = r#""type":"event","name":"tick""#;
    let general = || Bot::new().on_any(say("any")).on(Kind::Event, say("general"));
    for (bot, expected) in [
        (general().on_event("tick", say("special")), "general"),
        (Bot::new().on_event("tick", say("special")).on(Kind::Event, say("general")), "special"),
        (Bot::new().on_event("tick", say("one")).on_event("tick", say("two")), "one"),
        (Bot::new().on_any(say("any")).on_event("tock", say("special")), "any"),
        (Bot::new().on_any(say("one")).on_any(say("two")), "one"),
    ] {
        assert_eq!(texts(&outcome(&bot, tick).await), [expected], "{bot:?}");
    }
}

#[tokio::test]
async fn a_ported_bot_chooses_what_it_handles_and_wraps_its_dispatch() {
    struct Wrapped;
    impl ActivityHandler for Wrapped {
        fn handles(&self, activity: &Activity) -> bool {
            activity.kind != Kind::Typing
        }
        async fn on_turn(&self, turn: &mut Turn) -> Done {
            turn.say("before");
            self.dispatch(turn).await?;
            says(turn, "after")
        }
        async fn on_message(&self, turn: &mut Turn) -> Done {
            says(turn, "message")
        }
    }
    let bot = Bot::from(Wrapped).on_typing(say("typing of the bot"));
    let said = async |members| {
        let outcome = outcome(&bot, members).await;
        outcome.replies.iter().map(|reply| reply.text().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(said(r#""type":"message""#).await, ["before", "message", "after"]);
    assert_eq!(said(r#""type":"handoff""#).await, ["before", "after"]);
    assert_eq!(said(r#""type":"typing""#).await, ["typing of the bot"]);
    assert!(!Bot::from(Wrapped).handles(&activity(r#""type":"typing""#)));
}
