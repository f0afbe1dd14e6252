//! The pizza bot in the language of its user: English, French, Traditional Chinese or Russian.
//!
//! The texts are Fluent messages in files of their own, with the plural forms of each language. Run
//! it with `SAYSO_AUTH=none cargo run --features languages --example pizza_languages`, or talk to
//! it in the terminal: `cargo run --features languages --example pizza_languages -- fr`.

use std::sync::{Arc, LazyLock};

use sayso::{Chat, languages::Texts, prelude::*};

static TEXTS: LazyLock<Texts> = LazyLock::new(|| {
    let read = || {
        Texts::new("en", include_str!("pizza_languages/en.ftl"))?
            .with("fr", include_str!("pizza_languages/fr.ftl"))?
            .with("ru", include_str!("pizza_languages/ru.ftl"))?
            .with("zh-Hant", include_str!("pizza_languages/zh-Hant.ftl"))
    };
    read().expect("a test reads them")
});

#[derive(Default, Serialize, Deserialize)]
struct Order {
    toppings: Vec<String>,
}

async fn topping(mut turn: Turn) -> Result {
    let (voice, text) = (TEXTS.of(&turn), turn.text().to_owned());
    let order = turn.conversation::<Order>()?;
    if text == "/new" {
        order.toppings.clear();
        turn.say(voice.text("cleared"));
        return Ok(());
    }
    order.toppings.push(text);
    let (count, toppings) = (order.toppings.len(), order.toppings.join(", "));
    turn.say(voice.text("order").arg("count", count).arg("toppings", toppings));
    Ok(())
}

async fn greet(mut turn: Turn) -> Result {
    let voice = TEXTS.of(&turn);
    turn.say(voice.text("welcome"));
    Ok(())
}

async fn sorry(mut turn: Turn, _failure: Arc<Failure>) -> Result {
    let voice = TEXTS.of(&turn);
    turn.say(voice.text("sorry"));
    Ok(())
}

fn bot() -> Bot {
    Bot::new().on_message(topping).on_joined(greet).on_error(sorry)
}

#[tokio::main]
async fn main() -> Result {
    match std::env::args().nth(1) {
        Some(locale) => drop(Chat::new(bot()).locale(locale).run().await?),
        None => serve(bot()).await?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use sayso::testing::chat;

    use super::*;

    #[test]
    fn every_language_has_every_text() {
        assert_eq!(TEXTS.missing(), []);
    }

    #[tokio::test]
    async fn everybody_is_spoken_to_in_their_language() {
        for (locale, welcome, one) in [
            ("en-GB", "Welcome! What goes on your pizza?", "A pizza with one topping: ham."),
            (
                "fr-FR",
                "Bienvenue ! Que mettons-nous sur votre pizza ?",
                "Une pizza avec 1 garniture : ham.",
            ),
            ("ru-RU", "Добро пожаловать! Что положить на пиццу?", "Пицца, 1 начинка: ham."),
            ("zh-TW", "歡迎！您的披薩要加什麼配料？", "披薩加 1 種配料：ham。"),
            ("de-DE", "Welcome! What goes on your pizza?", "A pizza with one topping: ham."),
        ] {
            chat(bot()).in_locale(locale).joins().expects(welcome).user("ham").expects(one).await;
        }
    }

    #[tokio::test]
    async fn plurals_are_those_of_the_language() {
        let mut script = chat(bot()).in_locale("ru");
        for (count, form) in [
            (1, "1 начинка"),
            (2, "2 начинки"),
            (3, "3 начинки"),
            (4, "4 начинки"),
            (5, "5 начинок"),
        ] {
            let toppings = vec!["x"; count].join(", ");
            script = script.user("x").expects(format!("Пицца, {form}: {toppings}."));
        }
        script.await;
        for (count, form) in [(11, "11 начинок"), (21, "21 начинка"), (22, "22 начинки")]
        {
            let voice = TEXTS.in_locale("ru");
            let said = voice.text("order").arg("count", count).arg("toppings", "x").to_string();
            assert_eq!(said, format!("Пицца, {form}: x."));
        }
        let french = TEXTS.in_locale("fr");
        let none = french.text("order").arg("count", 0).arg("toppings", "-").to_string();
        assert_eq!(none, "Une pizza avec 0 garniture : -.", "French counts none as one");
        assert!(french.text("cleared").to_string().starts_with("Une nouvelle pizza."));
    }
}
