//! Origin of the crate `sayso` for a new bot: the registry, or a folder on this machine.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};

/// Origin of the crate `sayso`.
#[derive(Debug)]
pub(super) enum Origin {
    Registry,
    Folder {
        /// The folder of the crate.
        library: PathBuf,
        /// The folder that holds all crates it depends on.
        root: PathBuf,
    },
}

impl Origin {
    pub(super) fn registry() -> Self {
        Self::Registry
    }

    /// The crates in a copy of the repository, or the folder of the crate itself.
    pub(super) fn at(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let full = path.canonicalize().with_context(|| format!("cannot look into {shown}"))?;
        let Some(library) = [full.join("crates/sayso"), full].into_iter().find(|at| is_library(at))
        else {
            bail!(
                "{shown} holds no crate `sayso`; name a copy of Sayso's repository, or the folder \
                 crates/sayso in it"
            );
        };
        let root = library.ancestors().nth(2).unwrap_or(&library).to_owned();
        Ok(Self::Folder { library, root })
    }

    /// The members of the dependency in `Cargo.toml`.
    pub(super) fn dependency(&self) -> String {
        match self {
            Self::Registry => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
            Self::Folder { library, .. } => format!("path = {:?}", library.display().to_string()),
        }
    }

    /// The argument of the image's build that gives it the crates.
    pub(super) fn build_context(&self) -> String {
        match self {
            Self::Registry => String::new(),
            Self::Folder { root, .. } => format!("--build-context sayso={} ", root.display()),
        }
    }

    /// The line of the image's build that puts the crates where `Cargo.toml` looks for them.
    pub(super) fn copy(&self) -> String {
        match self {
            Self::Registry => String::new(),
            Self::Folder { root, .. } => format!("COPY --from=sayso . {}\n", root.display()),
        }
    }
}

/// Reports whether a folder holds the crate.
fn is_library(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"sayso\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_and_the_crate_in_it_are_the_same_origin() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let [whole, part] = [root.to_owned(), root.join("crates/sayso")].map(|path| {
            let origin = Origin::at(&path).unwrap();
            (origin.dependency(), origin.copy())
        });
        assert_eq!(whole, part);
        assert!(whole.0.starts_with("path = \"") && whole.0.ends_with("/crates/sayso\""));
        let error = Origin::at(&root.join("docs")).unwrap_err().to_string();
        assert!(error.contains("holds no crate `sayso`; name a copy"), "{error}");
        let error = Origin::at(Path::new("/not/there")).unwrap_err().to_string();
        assert!(error.contains("cannot look into /not/there"), "{error}");
        assert_eq!(Origin::registry().dependency(), "version = \"0.1.0\"");
    }
}
