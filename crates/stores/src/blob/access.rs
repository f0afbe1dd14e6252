//! Credentials of a store, and those of the emulators.

use std::path::PathBuf;

use azure_core::credentials::Secret;

use crate::entra::Entra;

/// The well-known account of the emulators; its key is public.
pub(super) const DEVELOPMENT_ACCOUNT: &str = "devstoreaccount1";
pub(super) const DEVELOPMENT_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Credentials of a store.
#[derive(Clone, Debug)]
pub(super) enum Access {
    Key(Secret),
    Sas(Secret),
    /// A file with a key or a SAS token.
    File(PathBuf),
    Entra(Entra),
}
