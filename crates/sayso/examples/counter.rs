//! State of a user: the bot counts a user's messages across all conversations of a channel.
//!
//! The user's document and the conversation's commit together or not at all, so the number that is
//! said is the number that is stored. Run it with `SAYSO_AUTH=none cargo run --example counter`.

use sayso::prelude::*;

#[derive(Default, Serialize, Deserialize)]
struct Visits {
    count: u64,
}

async fn count(mut turn: Turn) -> Result {
    let visits = turn.user::<Visits>().await?;
    visits.count += 1;
    let line = match visits.count {
        1 => "Your first message!".to_owned(),
        count => format!("Message {count} from you."),
    };
    turn.say(line);
    Ok(())
}

#[tokio::main]
async fn main() -> Result {
    serve(Bot::new().on_message(count)).await
}

#[cfg(test)]
mod tests {
    use sayso::{
        Documents,
        activity::{Account, ConversationAccount},
        run,
    };

    use super::*;

    fn message(user: &str, conversation: &str) -> Activity {
        Activity {
            id: Some("1".to_owned()),
            channel_id: Some("test".to_owned()),
            from: Some(Account::new(user)),
            conversation: Some(ConversationAccount::new(conversation)),
            ..Activity::message("hi")
        }
    }

    #[tokio::test]
    async fn a_user_is_counted_across_conversations_and_apart_from_others() {
        let bot = Bot::new().on_message(count);
        let mut documents = Documents::new();
        for (user, conversation, expected) in [
            ("ann", "one", "Your first message!"),
            ("ann", "two", "Message 2 from you."),
            ("bob", "two", "Your first message!"),
            ("ann", "one", "Message 3 from you."),
        ] {
            let outcome = run(&bot, message(user, conversation), documents).await.unwrap();
            assert_eq!(outcome.replies[0].text(), expected);
            documents = outcome.documents;
        }
    }

    #[tokio::test]
    async fn a_message_from_nobody_fails_and_counts_nothing() {
        let nobody = Activity { from: None, ..message("ann", "one") };
        let bot = Bot::new().on_message(count);
        assert!(run(&bot, nobody, Documents::new()).await.is_err());
    }
}
