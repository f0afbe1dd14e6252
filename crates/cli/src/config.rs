//! `sayso config`: every setting, its value, and where the value comes from.

use std::process::ExitCode;

use sayso::config::{Setting, Source};
use serde_json::json;

use crate::{
    cli::Show,
    terminal::{self, Look, Paint},
};

/// Maximum line width in columns, which only a long file name exceeds.
const WIDTH: usize = 80;

/// Column at which values begin.
const VALUE_AT: usize = 27;

/// Column at which sources begin; a long one is right-aligned instead. An app's id fits before it.
const SOURCE_AT: usize = 65;

/// Prints all settings, as a table or as lines of JSON.
pub(crate) fn run(options: &Show) -> anyhow::Result<ExitCode> {
    let config = options.sources.config()?;
    let settings = config.settings();
    if options.json {
        for setting in &settings {
            terminal::line(json!({
                "setting": setting.key,
                "value": setting.value,
                "source": setting.source.to_string(),
                "secret": setting.is_secret,
                "variable": setting.variable,
                "flag": setting.flag,
            }));
        }
    } else {
        let paint = Paint::stdout();
        let head = format!("{:VALUE_AT$}{:2$}from", "setting", "value", SOURCE_AT - VALUE_AT);
        terminal::line(paint.text(Look::Dim, head));
        for setting in &settings {
            terminal::print(&row(setting, paint));
        }
        match config.path() {
            Some(path) => terminal::line(format_args!("\nread from {}", path.display())),
            None => terminal::line("\nno file was read: there is no sayso.toml here"),
        }
    }
    for warning in config.warnings() {
        terminal::note(&format!("warning: {warning}"));
    }
    // What does not fit together is shown after the values that do not.
    let errors = [
        config.auth().err(),
        config.encryption().err(),
        config.tls().err(),
        config.admin_tls().err(),
        config.check_limits().err(),
    ];
    let mut code = ExitCode::SUCCESS;
    for error in errors.into_iter().flatten() {
        terminal::note(&format!("error: {error}"));
        code = ExitCode::FAILURE;
    }
    Ok(code)
}

/// Formats a setting on as few lines as it takes.
fn row(setting: &Setting, paint: Paint) -> String {
    let value = setting.value.as_deref().unwrap_or("-");
    let source = setting.source.to_string();
    let source_at = SOURCE_AT.min(WIDTH.saturating_sub(source.chars().count())).max(VALUE_AT);
    let entries = value.split_inclusive(", ");
    let mut lines: Vec<String> =
        entries.flat_map(|entry| broken(entry.trim_end(), WIDTH - VALUE_AT)).collect();
    let last = lines.last().map_or(0, |line| line.chars().count());
    if VALUE_AT + last + 2 > source_at {
        lines.push(String::new());
    }
    let (look, count) = (look(setting), lines.len());
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let key = if number == 0 { setting.key } else { "" };
        text.push_str(&format!("{key:VALUE_AT$}{}", paint.text(look, line)));
        if number + 1 == count {
            let gap = source_at - VALUE_AT - line.chars().count();
            text.push_str(&format!("{:gap$}{}", "", paint.text(Look::Dim, &source)));
        }
        text.push('\n');
    }
    text
}

fn look(setting: &Setting) -> Look {
    match setting.source {
        Source::Default => Look::Plain,
        _ => Look::Bold,
    }
}

/// Breaks a text into lines that fit, after a slash where there is one.
fn broken(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > width {
        let good = rest.iter().take(width).rposition(|letter| *letter == '/');
        let end = good.map_or(width, |place| place + 1);
        let tail = rest.split_off(end);
        lines.push(rest.into_iter().collect());
        rest = tail;
    }
    lines.push(rest.into_iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use sayso::Config;

    use super::*;

    #[test]
    fn the_table_is_aligned_and_no_line_is_wider_than_a_terminal() {
        let config = Config::default()
            .environment([
                ("ToBotFromEmulatorOpenIdMetadataUrl", "https://a.example/metadata"),
                ("MicrosoftAppPassword", "c4n4ry"),
            ])
            .unwrap();
        let table: String =
            config.settings().iter().map(|setting| row(setting, Paint::off())).collect();
        assert!(table.lines().all(|line| line.chars().count() <= WIDTH), "{table}");
        assert!(!table.contains("c4n4ry"), "{table}");
        let gap =
            |line: &str| line.starts_with(' ') || line.as_bytes().get(VALUE_AT - 1) == Some(&b' ');
        assert!(table.lines().all(gap), "{table}");
        let address = format!("{:27}{:38}default", "address", "127.0.0.1:3978");
        assert_eq!(table.lines().next(), Some(&*address), "{table}");
        let password = format!("{:27}{:21}environment MicrosoftAppPassword", "app.password", "set");
        assert!(table.lines().any(|line| line == password), "{table}");
    }

    #[test]
    fn a_long_value_is_broken_where_it_can_be() {
        assert_eq!(broken("https://a.example/b/c", 16), ["https://", "a.example/b/c"]);
        assert_eq!(broken("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(broken("", 4), [""]);
    }
}
