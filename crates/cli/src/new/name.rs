//! Name of a new crate: what Cargo takes, and no name that means something else in its code.

use std::path::Path;

use anyhow::bail;

/// Names that the crate's own code needs, or that Cargo refuses.
const TAKEN: [&str; 12] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "sayso",
    "serde",
    "std",
    "test",
    "tokio",
];

/// Keywords, which no crate can be called in Rust code.
const KEYWORDS: &str = " abstract as async await become box break const continue crate do dyn else \
    enum extern false final fn for gen if impl in let loop macro match mod move mut override priv \
    pub ref return self static struct super trait true try type typeof unsafe unsized use virtual \
    where while yield ";

/// A name longer than this is a mistake.
const CHARS_MAX: usize = 64;

/// The name of a package.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) package: String,
}

impl Name {
    /// The last part of a path, if a package can be called so.
    pub(super) fn of(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !begins || !name.chars().all(is_letter) || name.len() > CHARS_MAX {
            bail!(
                "`{}` does not end in the name of a crate: a letter, then up to 63 letters, digits, \
                 `-` and `_`, as in my-bot",
                folder.display()
            );
        }
        let name = Self { package: name.to_owned() };
        let library = name.library();
        if TAKEN.contains(&&*library) || KEYWORDS.contains(&format!(" {library} ")) {
            bail!("`{}` means something else in Rust; choose another name", name.package);
        }
        Ok(name)
    }

    /// The name of its library in code.
    pub(super) fn library(&self) -> String {
        self.package.replace('-', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_cargo_and_rust_take() {
        for good in ["my-bot", "bots/pizza_2", "./pizza", "/tmp/Pizza/"] {
            assert!(Name::of(Path::new(good)).is_ok(), "{good}");
        }
        assert_eq!(Name::of(Path::new("bots/my-bot")).unwrap().library(), "my_bot");
        for (bad, says) in [
            ("", "the name of a crate"),
            ("..", "the name of a crate"),
            ("2pizzas", "the name of a crate"),
            ("my bot", "the name of a crate"),
            ("pizzä", "the name of a crate"),
            ("-x", "the name of a crate"),
            ("match", "means something else"),
            ("test", "means something else"),
            ("sayso", "means something else"),
            ("proc-macro", "means something else"),
        ] {
            let error = Name::of(Path::new(bad)).unwrap_err().to_string();
            assert!(error.contains(says), "{bad}: {error}");
        }
    }
}
