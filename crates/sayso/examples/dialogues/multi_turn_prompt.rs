//! Dialogues of 05.multi-turn-prompt: both forms of it must hold them.

use sayso::testing::{Script, chat_with};

use super::*;

fn up_to_the_age(script: Script<'_>) -> Script<'_> {
    script
        .user("hi")
        .expects("Please enter your mode of transport. (1) Car, (2) Bus, or (3) Bicycle")
        .user("by bus")
        .expects("Please enter your name.")
        .user("Ann")
        .expects("Thanks Ann.")
        .expects("Would you like to give your age? (1) Yes or (2) No")
}

fn picture(sort: &str) -> Activity {
    let file = Attachment::with_url(sort, "https://example.org/ann");
    Activity::message("").with_attachment(file)
}

const ASKS_FOR_A_PICTURE: &str = "Please attach a profile picture (or type any message to skip).";

#[tokio::test]
async fn a_whole_profile_is_asked_for_shown_and_kept() {
    up_to_the_age(chat_with(bot).restarting().contended())
        .user("yes")
        .expects("Please enter your age.")
        .user("200")
        .expects("The value entered must be greater than 0 and less than 150.")
        .user("thirty")
        .expects("I have your age as 30.")
        .expects(ASKS_FOR_A_PICTURE)
        .activity(picture("text/plain"))
        .expects("The attachment must be a jpeg/png image file.")
        .activity(picture("image/png"))
        .expects("I have your mode of transport as Bus and your name as Ann and your age as 30.")
        .expects_activity(|shown| {
            assert_eq!(shown.text(), "This is your profile picture.");
            shown.attachments.as_ref().is_some_and(|all| all.len() == 1)
        })
        .expects("Is this ok? (1) Yes or (2) No")
        .user("yes")
        .expects("Thanks. Your profile saved successfully.")
        .user_state(|bag| {
            let profile: UserProfile = bag.get("UserProfile").unwrap().unwrap();
            assert_eq!((&*profile.transport, &*profile.name), ("Bus", "Ann"));
            assert!(profile.picture.is_some());
        })
        .user("hi")
        .expects_containing("Please enter your mode of transport.")
        .await;
}

#[tokio::test]
async fn age_and_picture_can_be_left_out_and_what_is_refused_is_not_kept() {
    up_to_the_age(chat_with(bot))
        .user("no")
        .expects("No age given.")
        .expects(ASKS_FOR_A_PICTURE)
        .user("later")
        .expects("No attachments received. Proceeding without a profile picture...")
        .expects("I have your mode of transport as Bus and your name as Ann.")
        .expects("Is this ok? (1) Yes or (2) No")
        .user("no")
        .expects("Thanks. Your profile will not be kept.")
        .user_state(|bag| assert!(bag.get::<UserProfile>("UserProfile").unwrap().is_none()))
        .await;
}

#[tokio::test]
async fn teams_is_not_asked_for_a_picture() {
    chat_with(bot)
        .on_channel("msteams")
        .user("hi")
        .expects_card("hero") // the choices
        .user("by bus")
        .expects("Please enter your name.")
        .user("Ann")
        .expects("Thanks Ann.")
        .expects_card("hero") // yes or no
        .user("no")
        .expects("No age given.")
        .expects("Skipping attachment prompt in Teams channel...")
        .expects("I have your mode of transport as Bus and your name as Ann.")
        .expects_card("hero")
        .await;
}
