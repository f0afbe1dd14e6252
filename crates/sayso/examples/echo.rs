//! The smallest bot: it answers `X` with `Echo: X`.
//!
//! Run it with `SAYSO_AUTH=none cargo run --example echo`; it prints a `curl` to try.

use sayso::prelude::*;

fn bot() -> Bot {
    Bot::new().on_message(async |mut turn: Turn| {
        let line = format!("Echo: {}", turn.text());
        turn.say(line);
        Ok(())
    })
}

#[tokio::main]
async fn main() -> Result {
    serve(bot()).await
}

#[cfg(test)]
mod tests {
    use sayso::{Documents, activity::Activity, run};

    #[tokio::test]
    async fn it_echoes() {
        let hi = Activity::from_json(
            br#"{"type":"message","id":"1","channelId":"test","conversation":{"id":"c"},"text":"hi"}"#,
        );
        let outcome = run(&super::bot(), hi.unwrap(), Documents::new()).await.unwrap();
        let replies: Vec<&str> = outcome.replies.iter().map(Activity::text).collect();
        assert_eq!(replies, ["Echo: hi"]);
    }
}
