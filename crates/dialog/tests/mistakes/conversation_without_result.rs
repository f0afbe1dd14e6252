use sayso_dialog::conversation::{Conversation, conversation, text};

async fn greet(c: Conversation) {
    drop(c.ask(text("What is your name?")).await);
}

fn main() {
    drop(conversation("greet", greet).bot());
}
