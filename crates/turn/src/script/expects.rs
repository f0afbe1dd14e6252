//! Expectations of a script: texts, activities, silence, state.

use sayso_activity::{Activity, Kind};

use super::{
    Script,
    step::{Expectation, Scope, Step, Verdict, check},
};
use crate::{Bag, document::Response};

impl<'a> Script<'a> {
    #[track_caller]
    fn expect(self, expectation: Expectation<'a>) -> Self {
        self.then(Step::Expect(expectation))
    }

    /// Expects exactly this text.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = || Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// chat(bot()).user("hi").expects("Hello!").await;
    ///
    /// let mismatch = chat(bot()).user("hi").expects("Hallo!").run().await.unwrap_err();
    /// let text = mismatch.to_string();
    /// assert!(text.contains("\n -> bot:      Hello!\n    expected: Hallo!\n               ^"), "{text}");
    /// # }
    /// ```
    #[track_caller]
    pub fn expects(self, text: impl Into<String>) -> Self {
        self.expect(Expectation::Text(text.into()))
    }

    /// Expects one of these texts, for bots that vary their words.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// chat(bot).user("hi").expects_any(["Hi!", "Hello!"]).await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_any<T: Into<String>>(self, texts: impl IntoIterator<Item = T>) -> Self {
        self.expect(Expectation::AnyText(texts.into_iter().map(Into::into).collect()))
    }

    /// Expects a text that contains this.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| { turn.say("Hello!"); Ok(()) });
    /// chat(bot).user("hi").expects_containing("ell").await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_containing(self, part: impl Into<String>) -> Self {
        self.expect(Expectation::Containing(part.into()))
    }

    /// Expects an activity that passes a check. See [`Verdict`] for the result of a check.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::Activity, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     turn.send(Activity::message("Where to?").with_input_hint("expectingInput"));
    /// #     Ok(())
    /// # });
    /// chat(bot)
    ///     .user("hi")
    ///     .expects_activity(|a| a.input_hint.as_deref() == Some("expectingInput"))
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_activity<V: Verdict>(
        self,
        look: impl FnOnce(&Activity) -> V + Send + 'a,
    ) -> Self {
        self.expect(Expectation::Activity(check(look)))
    }

    /// Expects an activity of this kind. It is the way to expect a typing or trace activity, which
    /// all other expectations skip.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::{Activity, Kind}, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     turn.send(Activity::typing());
    /// #     turn.say("Bye.");
    /// #     turn.send(Activity::end_of_conversation());
    /// #     Ok(())
    /// # });
    /// chat(bot)
    ///     .user("bye")
    ///     .expects_kind(Kind::Typing)
    ///     .expects("Bye.")
    ///     .expects_kind(Kind::EndOfConversation)
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_kind(self, kind: Kind) -> Self {
        self.expect(Expectation::Kind(kind))
    }

    /// Expects a card of this type: `hero` stands for the content type
    /// `application/vnd.microsoft.card.hero`.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::{Activity, Attachment}, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     let card = Attachment::with_content("application/vnd.microsoft.card.hero", &[0])?;
    /// #     turn.send(Activity::message("").with_attachment(card));
    /// #     Ok(())
    /// # });
    /// chat(bot).user("show me").expects_card("hero").await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_card(self, sort: &str) -> Self {
        self.expect(Expectation::Card(format!("application/vnd.microsoft.card.{sort}")))
    }

    /// Expects that the bot says nothing, or nothing more.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// chat(Bot::new()).user("hi").expects_nothing().await;
    /// # }
    /// ```
    #[doc(alias = "says_nothing")]
    #[track_caller]
    pub fn expects_nothing(self) -> Self {
        self.expect(Expectation::Nothing)
    }

    /// Expects the turn to fail without an error handler: the sender gets an error, nothing is
    /// saved or sent.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, BotError, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let bot = Bot::new().on_message(async |_| Err::<(), BotError>("no oven".into()));
    /// chat(bot).user("bake!").expects_failure().await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_failure(self) -> Self {
        self.expect(Expectation::Failure)
    }

    /// Expects a response to the last `invoke` that passes a check.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, activity::{Activity, Kind}, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_invoke("order/submit", async |mut turn: Turn| {
    /// #     Ok(turn.respond(200, "done")?)
    /// # });
    /// let invoke = Activity { name: Some("order/submit".into()), ..Activity::new(Kind::Invoke) };
    /// chat(bot)
    ///     .activity(invoke)
    ///     .expects_response(|answer| answer.status == 200)
    ///     .again()
    ///     .expects_response(|answer| assert_eq!(answer.body.as_ref().unwrap().as_str(), r#""done""#))
    ///     .await;
    /// # }
    /// ```
    #[track_caller]
    pub fn expects_response<V: Verdict>(
        self,
        look: impl FnOnce(&Response) -> V + Send + 'a,
    ) -> Self {
        self.expect(Expectation::Response(check(look)))
    }

    /// Checks the properties of the conversation.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     *turn.state().named::<u32>("count")? += 1;
    /// #     Ok(())
    /// # });
    /// chat(bot).user("hi").state(|bag| bag.get::<u32>("count").unwrap() == Some(1)).await;
    /// # }
    /// ```
    #[track_caller]
    pub fn state<V: Verdict>(self, look: impl FnOnce(&Bag) -> V + Send + 'a) -> Self {
        self.then(Step::State(Scope::Conversation, check(look)))
    }

    /// Checks the properties of the user who acted last.
    ///
    /// # Example
    /// ```
    /// # use sayso_turn::{Bot, Turn, script::chat};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let bot = Bot::new().on_message(async |mut turn: Turn| {
    /// #     *turn.user_state().await?.named::<u32>("visits")? += 1;
    /// #     Ok(())
    /// # });
    /// chat(bot).user("hi").user_state(|bag| assert_eq!(bag.to_json(), r#"{"visits":1}"#)).await;
    /// # }
    /// ```
    #[track_caller]
    pub fn user_state<V: Verdict>(self, look: impl FnOnce(&Bag) -> V + Send + 'a) -> Self {
        self.then(Step::State(Scope::User, check(look)))
    }
}
