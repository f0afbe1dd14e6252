//! Dialogues of 43.complex-dialog: both forms of it must hold them.

use sayso::testing::{Script, chat_with};

use super::*;

fn up_to_the_age(script: Script<'_>) -> Script<'_> {
    script
        .joins()
        .expects_containing("Welcome to Complex Dialog Bot user. ")
        .user("hi")
        .expects("Please enter your name.")
        .user("Ann")
        .expects("Please enter your age.")
}

#[tokio::test]
async fn two_companies_end_the_selection() {
    up_to_the_age(chat_with(bot).restarting().contended())
        .user("thirty")
        .expects_containing("Please choose a company to review, or `done` to finish.")
        .user("none of them")
        .expects_containing("Please choose an option from the list.")
        .user("Contoso Suites")
        .expects_activity(|asked| {
            let text = asked.text();
            let buttons = format!("{:?}", asked.buttons());
            assert!(text.starts_with("You have selected **Contoso Suites**. You can review"));
            !buttons.contains("Contoso") && !text.contains(") Contoso")
        })
        .user("Adatum Corporation")
        .expects("Thanks for participating, Ann.")
        .expects("You are signed up to review Contoso Suites and Adatum Corporation.")
        .user_state(|bag| {
            let profile: UserProfile = bag.get("UserProfile").unwrap().unwrap();
            assert_eq!((&*profile.name, profile.age), ("Ann", 30));
            assert_eq!(profile.companies_to_review, ["Contoso Suites", "Adatum Corporation"]);
        })
        .await;
}

#[tokio::test]
async fn done_ends_it_after_one() {
    up_to_the_age(chat_with(bot))
        .user("25")
        .expects_containing("Please choose a company")
        .user("Wide World Importers")
        .expects_containing("You have selected **Wide World Importers**.")
        .user("done")
        .expects("Thanks for participating, Ann.")
        .expects("You are signed up to review Wide World Importers.")
        .user("hi")
        .expects("Please enter your name.")
        .await;
}

#[tokio::test]
async fn whoever_is_too_young_reviews_nothing() {
    up_to_the_age(chat_with(bot))
        .user("24")
        .expects("You must be 25 or older to participate.")
        .expects("Thanks for participating, Ann.")
        .expects("You are signed up to review no companies.")
        .await;
}
