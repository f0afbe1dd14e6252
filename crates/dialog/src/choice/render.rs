//! Rendering of choices: the question with its choices as text, buttons or a card.

use sayso_activity::{Activity, HeroCard, SuggestedActions};

use super::{Choice, ChoiceOptions, ListStyle, Place};

/// Renders the question: the prompt with its choices.
///
/// The prompt is cloned. Its text is replaced by the text with the choices, its buttons by those of
/// the choices if the style has buttons, and a card is added to its attachments. Everything else in
/// it stays. Without a prompt there is a message with the choices alone. A question without an
/// input hint gets `expectingInput`.
///
/// Without choices the style does not matter: the prompt is the question.
///
/// # Example
/// ```
/// use sayso_activity::Activity;
/// use sayso_dialog::choice::{render, ChoiceOptions, ListStyle, Place};
///
/// let question = render(
///     ListStyle::Auto,
///     &["red", "green", "blue"].map(Into::into),
///     Some(&Activity::message("favorite color?")),
///     &ChoiceOptions::default(),
///     Place::channel("test"),
/// );
/// assert_eq!(question.text(), "favorite color? (1) red, (2) green, or (3) blue");
/// ```
#[must_use]
pub fn render(
    style: ListStyle,
    choices: &[Choice],
    prompt: Option<&Activity>,
    options: &ChoiceOptions,
    place: Place<'_>,
) -> Activity {
    let mut question = prompt.cloned().unwrap_or_default();
    question.input_hint.get_or_insert_with(|| "expectingInput".to_owned());
    let style = match style {
        _ if choices.is_empty() => ListStyle::None,
        ListStyle::Auto => place.style_for(choices),
        other => other,
    };
    match style {
        // What `Auto` stands for was looked up above.
        ListStyle::None | ListStyle::Auto => {}
        ListStyle::Inline => question.text = Some(inline(question.text(), choices, options)),
        ListStyle::List => question.text = Some(list(question.text(), choices, options)),
        ListStyle::SuggestedAction => {
            let mut buttons = SuggestedActions::new(choices.iter().map(Choice::button));
            if let Some(user) = place.user {
                buttons = buttons.with_recipient(user);
            }
            question.suggested_actions = Some(buttons.to_raw());
        }
        ListStyle::HeroCard => {
            // The text moves into the card, so that it stands once.
            let card = HeroCard {
                text: question.text.take(),
                buttons: Some(choices.iter().map(Choice::button).collect()),
                ..HeroCard::default()
            };
            question = question.with_attachment(card.attach());
        }
    }
    question
}

/// The choices in the sentence.
fn inline(text: &str, choices: &[Choice], options: &ChoiceOptions) -> String {
    let mut line = text.to_owned();
    // The SDKs write the space even when no text stands before it.
    if !line.is_empty() {
        line.push(' ');
    }
    let last = choices.len().saturating_sub(1);
    for (index, choice) in choices.iter().enumerate() {
        line.push_str(match index {
            0 => "",
            1 if last == 1 => &options.inline_or,
            _ if index == last => &options.inline_or_more,
            _ => &options.inline_separator,
        });
        if options.include_numbers {
            line.push_str(&format!("({}) ", index + 1));
        }
        line.push_str(choice.title());
    }
    line
}

/// The choices one on a line.
fn list(text: &str, choices: &[Choice], options: &ChoiceOptions) -> String {
    let lines = choices.iter().enumerate().map(|(index, choice)| match options.include_numbers {
        true => format!("   {}. {}", index + 1, choice.title()),
        false => format!("   - {}", choice.title()),
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    match text {
        "" => lines,
        _ => format!("{text}\n\n{lines}"),
    }
}

#[cfg(test)]
mod tests;
