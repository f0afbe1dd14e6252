use sayso_dialog::{Step, StepResult, WaterfallDialog};

async fn ask(step: &mut Step<'_>) -> StepResult {
    step.say("Hello.");
    Err("this was only a greeting".into())
}

fn main() {
    drop(WaterfallDialog::new("hello").step(ask));
}
