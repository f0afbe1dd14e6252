use sayso_dialog::{Step, WaterfallDialog};

async fn ask(mut step: Step<'_>) {
    step.say("Hello.");
}

fn main() {
    drop(WaterfallDialog::new("hello").step(ask));
}
