//! Keys of the store's encryption: from the environment or from files that nobody else can read.

use super::*;

const KEYS: &str = "a:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const NAMES: &str = "bmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgbmFtZXMgISE=";

fn of(variables: &[(&str, &str)]) -> Result<Option<Encryption>, ConfigError> {
    Config::default().environment(variables.iter().copied())?.encryption()
}

fn refusal(variables: &[(&str, &str)]) -> String {
    let error = of(variables).unwrap_err();
    let shown = format!("{error} {error:?}");
    for secret in ["c4n4ry", "MDEyMzQ1", "bmFtZXMg"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    error.to_string()
}

#[test]
fn keys_that_make_no_sense_are_refused_and_none_means_no_encryption() {
    assert!(of(&[]).unwrap().is_none());
    assert_eq!(of(&[("SAYSO_ENCRYPTION_KEYS", KEYS)]).unwrap().unwrap().to_string(), "bodies");
    let both = [("SAYSO_ENCRYPTION_KEYS", KEYS), ("SAYSO_ENCRYPTION_NAMES_KEY", NAMES)];
    assert_eq!(of(&both).unwrap().unwrap().to_string(), "bodies and names");
    let clear = format!("{KEYS} clear");
    for (variables, says) in [
        (&[("SAYSO_ENCRYPTION_KEYS", "c4n4ry")][..], "encryption.keys (SAYSO_ENCRYPTION_KEYS): "),
        (&[("SAYSO_ENCRYPTION_KEYS", "a:c4n4ry")], "entry 1 is not `id:key`"),
        (
            &[("SAYSO_ENCRYPTION_NAMES_KEY", NAMES)],
            "they are missing, but there is a key for names",
        ),
        (&[("SAYSO_ENCRYPTION_KEYS", KEYS), ("SAYSO_ENCRYPTION_NAMES_KEY", "c4n4ry")], "32 random"),
        (&[("SAYSO_ENCRYPTION_KEYS", &clear), ("SAYSO_ENCRYPTION_NAMES_KEY", NAMES)], "migrate"),
        (&[("SAYSO_ENCRYPTION_KEYS", KEYS), ("SAYSO_ENCRYPTION_KEYS_FILE", "f")], "leave one of"),
        (&[("SAYSO_ENCRYPTION_KEYS_FILE", "/no/such")], "cannot read /no/such: "),
    ] {
        let said = refusal(variables);
        assert!(said.contains(says), "{says}: {said}");
    }
}

#[test]
fn an_empty_secret_does_not_turn_encryption_off() {
    for name in
        ["SAYSO_ENCRYPTION_KEYS", "sayso_encryption_keys_file", "SAYSO_ENCRYPTION_NAMES_KEY"]
    {
        for empty in ["", "  "] {
            let error = Config::default().environment([(name, empty)]).unwrap_err().to_string();
            assert!(error.ends_with("leave it out if nothing is to be encrypted"), "{error}");
        }
    }
    assert!(read("[encryption]\nkeys = \"\"").is_err());
}

#[cfg(unix)]
#[test]
fn a_file_of_keys_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys");
    std::fs::write(&path, format!("# of the bot\n{KEYS}\n")).unwrap();
    let name = path.display().to_string();
    let with_mode = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        of(&[("SAYSO_ENCRYPTION_KEYS_FILE", &name)])
    };
    for mode in [0o600, 0o400, 0o440, 0o640] {
        assert!(with_mode(mode).unwrap().is_some(), "{mode:o}");
    }
    for mode in [0o644, 0o604, 0o606, 0o602] {
        let error = with_mode(mode).unwrap_err().to_string();
        assert!(error.contains(&format!("chmod 600 {name}")), "{mode:o}: {error}");
    }
    assert!(Encryption::from_files(&path, None).is_err(), "a flag's file, too");
}
