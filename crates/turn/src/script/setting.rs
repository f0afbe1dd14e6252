//! Setup of a script: users, channel, conversation, language and initial state.

use super::{Script, address::account};
use crate::{Bag, clock::Timestamp};

impl Script<'_> {
    /// Sets the user who speaks from here on, for groups. The name is also the id.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let visits = turn.user_state().await?.named::<u32>("visits")?;
    ///     *visits += 1;
    ///     let line = format!("visit {visits}");
    ///     turn.say(line);
    ///     Ok(())
    /// });
    /// chat(bot)
    ///     .from_user("ann").user("hi").expects("visit 1").user("hi").expects("visit 2")
    ///     .from_user("ben").user("hi").expects("visit 1")
    ///     .await;
    /// # }
    /// ```
    pub fn from_user(mut self, name: &str) -> Self {
        self.address.user = account(name, "user");
        self
    }

    /// Sets the channel from here on; the default is `test`.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let channel = turn.activity().channel_id.clone().unwrap_or_default();
    ///     turn.say(channel);
    ///     Ok(())
    /// });
    /// chat(bot).on_channel("msteams").user("hi").expects("msteams").await;
    /// # }
    /// ```
    pub fn on_channel(mut self, channel_id: impl Into<String>) -> Self {
        self.address.channel_id = channel_id.into();
        self
    }

    /// Sets the conversation from here on: it has its own state; the state of users is shared.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let here = { let n = turn.state().named::<u32>("n")?; *n += 1; *n };
    ///     let you = { let n = turn.user_state().await?.named::<u32>("n")?; *n += 1; *n };
    ///     turn.say(format!("{here} here, {you} from you"));
    ///     Ok(())
    /// });
    /// chat(bot)
    ///     .user("hi").expects("1 here, 1 from you")
    ///     .in_conversation("another").user("hi").expects("1 here, 2 from you")
    ///     .await;
    /// # }
    /// ```
    pub fn in_conversation(mut self, id: impl Into<String>) -> Self {
        self.address.conversation = id.into();
        self
    }

    /// Sets the tenant from here on, for a bot whose [keys](crate::KeyScheme) name it.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, KeyScheme, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().keys(KeyScheme::default().by_tenant(true));
    /// let bot = bot.on_message(async |mut turn: Turn| {
    ///     let visits = turn.user_state().await?.named::<u32>("visits")?;
    ///     *visits += 1;
    ///     let line = format!("visit {visits}");
    ///     turn.say(line);
    ///     Ok(())
    /// });
    /// chat(bot)
    ///     .in_tenant("contoso").user("hi").expects("visit 1").user("hi").expects("visit 2")
    ///     .in_tenant("fabrikam").user("hi").expects("visit 1")
    ///     .await;
    /// # }
    /// ```
    pub fn in_tenant(mut self, id: impl Into<String>) -> Self {
        self.address.tenant = Some(id.into());
        self
    }

    /// Sets the language of the user from here on.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let is_german = turn.activity().locale.as_deref() == Some("de-de");
    ///     turn.say(if is_german { "Hallo!" } else { "Hello!" });
    ///     Ok(())
    /// });
    /// chat(bot).user("hi").expects("Hello!").in_locale("de-de").user("hi").expects("Hallo!").await;
    /// # }
    /// ```
    pub fn in_locale(mut self, locale: impl Into<String>) -> Self {
        self.address.locale = Some(locale.into());
        self
    }

    /// Sets the initial state of the first activity's conversation.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bag, Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     let line = format!("A {} pizza.", turn.state().named::<String>("size")?);
    /// #     turn.say(line);
    /// #     Ok(())
    /// # });
    /// let asked = Bag::from_json(r#"{"size":"large"}"#)?;
    /// chat(bot).starts_with_state(asked).user("which?").expects("A large pizza.").await;
    /// # Ok(()) }
    /// ```
    pub fn starts_with_state(mut self, bag: Bag) -> Self {
        self.starts_with = Some(bag);
        self
    }

    /// Sets the time at the start; the default is 2024-01-01T12:00:00Z, a Monday.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, clock::Timestamp, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     let line = format!("{}", turn.now().as_millis());
    ///     turn.say(line);
    ///     Ok(())
    /// });
    /// chat(bot).starts_at(Timestamp::from_millis(7)).user("when?").expects("7").await;
    /// # }
    /// ```
    pub fn starts_at(mut self, now: Timestamp) -> Self {
        self.starts_at = now;
        self
    }

    /// Runs the logic of every turn twice and discards the first run, as the engine does after a
    /// conflict. This finds logic that keeps something outside the state, and external calls that
    /// are not under [`Turn::once`](crate::Turn::once).
    ///
    /// # Example
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// static COUNT: AtomicU32 = AtomicU32::new(0); // a mistake: it belongs into the state
    /// let bot = Bot::new().on_message(async |mut turn: Turn| {
    ///     turn.say(format!("{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    ///     Ok(())
    /// });
    /// assert!(chat(bot).contended().user("a").expects("0").run().await.is_err());
    /// # }
    /// ```
    pub fn contended(mut self) -> Self {
        self.is_contended = true;
        self
    }

    /// Restarts before every turn, as [`restart`](Self::restart) does once.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat_with};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = || Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// chat_with(bot).restarting().user("a").expects("Hello!").user("b").expects("Hello!").await;
    /// # }
    /// ```
    pub fn restarting(mut self) -> Self {
        self.is_restarting = true;
        self
    }
}
