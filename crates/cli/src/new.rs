//! `sayso new`: a crate with a bot, its tests, its settings and its image.

mod name;
mod origin;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context as _, bail};

use self::{name::Name, origin::Origin};
use crate::{
    cli,
    terminal::{self, Look, Paint},
};

/// Files of the crate, as they are in it. Those of the templates that end in `.in` would be taken
/// for files of this crate.
const FILES: [(&str, &str); 10] = [
    ("Cargo.toml", include_str!("../templates/bot/Cargo.toml.in")),
    ("src/lib.rs", include_str!("../templates/bot/src/lib.rs")),
    ("src/main.rs", include_str!("../templates/bot/src/main.rs")),
    ("tests/dialogue.rs", include_str!("../templates/bot/tests/dialogue.rs")),
    ("tests/simulation.rs", include_str!("../templates/bot/tests/simulation.rs")),
    ("sayso.toml", include_str!("../templates/bot/sayso.toml")),
    ("Containerfile", include_str!("../templates/bot/Containerfile.in")),
    (".containerignore", include_str!("../templates/bot/containerignore.in")),
    (".gitignore", include_str!("../templates/bot/gitignore.in")),
    ("README.md", include_str!("../templates/bot/README.md.in")),
];

/// Makes the crate and says what to do next.
pub(crate) fn run(options: &cli::New) -> anyhow::Result<ExitCode> {
    let name = Name::of(&options.folder)?;
    let origin = match &options.path {
        Some(path) => Origin::at(path)?,
        None => Origin::registry(),
    };
    claim(&options.folder)?;
    for (file, template) in FILES {
        write(&options.folder.join(file), &fill(template, &name, &origin))?;
    }
    let paint = Paint::stdout();
    let folder = options.folder.display();
    terminal::line(format_args!("{} {folder}\n\nNext:\n", paint.text(Look::Green, "made")));
    for (command, what) in [
        (format!("cd {folder}"), ""),
        ("cargo run chat".to_owned(), "talk to it here"),
        ("cargo test".to_owned(), "dialogues, and worlds in which everything goes wrong"),
        ("cargo run".to_owned(), "serve it at http://127.0.0.1:3978"),
    ] {
        let command = paint.text(Look::Cyan, format!("{command:18}"));
        terminal::line(format!("  {command} {what}").trim_end());
    }
    terminal::line("\nThe bot is in src/lib.rs, its settings are in sayso.toml.");
    Ok(ExitCode::SUCCESS)
}

/// Takes the folder: a new one, or an empty one that is there.
fn claim(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => bail!("{shown} is there and not empty; choose another name, or remove it"),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {shown}"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            bail!("{shown} is a file; choose another name, or remove it")
        }
        Err(error) => Err(error).with_context(|| format!("cannot look into {shown}")),
    }
}

/// Writes a file that is not there yet.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let make = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(text.as_bytes())
    };
    make().with_context(|| format!("cannot write {}", path.display()))
}

/// Fills a template in.
fn fill(template: &str, name: &Name, origin: &Origin) -> String {
    [
        ("{{name}}", name.package.as_str()),
        ("{{crate}}", &name.library()),
        ("{{rust}}", env!("CARGO_PKG_RUST_VERSION")),
        ("{{sayso}}", &origin.dependency()),
        ("{{context}}", &origin.build_context()),
        ("{{copy}}", &origin.copy()),
    ]
    .into_iter()
    .fold(template.to_owned(), |text, (hole, what)| text.replace(hole, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hole_stays_open_and_every_template_says_what_it_is() {
        let name = Name::of(Path::new("bots/my-bot")).unwrap();
        for (file, template) in FILES {
            let text = fill(template, &name, &Origin::registry());
            assert!(!text.contains("{{"), "{file}: {text}");
            assert!(!file.ends_with(".rs") || text.starts_with("//! "), "{file}");
        }
    }

    #[test]
    fn a_folder_is_taken_if_it_is_new_or_empty() {
        let folder = tempfile::tempdir().unwrap();
        claim(folder.path()).unwrap();
        claim(&folder.path().join("a/b")).unwrap();
        let error = claim(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is there and not empty; choose another name, or remove it"));
        let file = folder.path().join("file");
        write(&file, "mine").unwrap();
        assert!(claim(&file).unwrap_err().to_string().contains("is a file; choose"));
        let error = format!("{:#}", write(&file, "theirs").unwrap_err());
        assert!(error.contains("cannot write"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }
}
