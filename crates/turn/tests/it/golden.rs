//! Golden files: an incompatible edit of a type fails the tests of its bot.

use std::{fs, path::Path};

use sayso_turn::{
    BotError, BotState,
    versioned::golden::{Golden, GoldenError, check},
};
use serde_json::{Value, json};

/// A type as it was and as it became, under one name.
macro_rules! order {
    ($module:ident, $version:tt, { $($field:ident: $type:ty),* }) => {
        mod $module {
            use super::*;
            #[derive(Clone, Default, BotState)]
            #[state $version]
            pub(super) struct Order { $(pub(super) $field: $type),* }
        }
    };
}

order!(v1, (version = 1), { topping: String });
order!(v1_edited, (version = 1), { topping: String, size: Option<u8> });
order!(v2, (version = 2, upcast(1 = from_v1)), { toppings: Vec<String> });
order!(v2_broken, (version = 2, upcast(1 = forgotten)), { toppings: Vec<String> });

fn from_v1(mut order: Value) -> Result<Value, BotError> {
    Ok(json!({ "toppings": [order["topping"].take()] }))
}

fn forgotten(_: Value) -> Result<Value, BotError> {
    Err("nobody remembers version 1".into())
}

fn ham() -> v1::Order {
    v1::Order { topping: "ham".into() }
}

/// A folder with a file of version 1.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let written = check(&folder.path().join("golden"), &[ham()], true).unwrap();
    assert_eq!(written, Golden::Written(folder.path().join("golden/Order.v1.json")));
    folder
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_missing_file_fails_until_it_is_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let error = check(folder.path(), &[ham()], false).unwrap_err();
    assert!(matches!(error, GoldenError::Missing { stored: 0, given: 1, .. }), "{error}");
    assert!(error.to_string().contains("SAYSO_BLESS=1"), "{error}");
    let path = folder.path().join("Order.v1.json");
    assert_eq!(check(folder.path(), &[ham()], true).unwrap(), Golden::Written(path.clone()));
    assert_eq!(text(&path), "[\n  {\n    \"$version\": 1,\n    \"topping\": \"ham\"\n  }\n]\n");
    assert_eq!(check(folder.path(), &[ham()], false).unwrap(), Golden::Kept);
    // Samples can be added, and nothing else.
    let two = [ham(), v1::Order::default()];
    assert!(matches!(
        check(folder.path(), &two, false),
        Err(GoldenError::Missing { stored: 1, given: 2, .. })
    ));
    assert_eq!(check(folder.path(), &two, true).unwrap(), Golden::Written(path));
    assert_eq!(check(folder.path(), &two, false).unwrap(), Golden::Kept);
    assert_eq!(check(folder.path(), &[ham()], false).unwrap(), Golden::Kept);
}

#[test]
fn an_edit_without_a_new_version_fails_even_when_blessed() {
    let folder = folder();
    let folder = folder.path().join("golden");
    let before = text(&folder.join("Order.v1.json"));
    let edited = v1_edited::Order { topping: "ham".into(), size: None };
    for may_write in [false, true] {
        let error = check(&folder, std::slice::from_ref(&edited), may_write).unwrap_err();
        assert!(matches!(error, GoldenError::Changed { index: 0, .. }), "{error}");
        assert!(error.to_string().contains("raise the version"), "{error}");
    }
    // The samples must stay, too: they are what the file is compared with.
    let other = v1::Order { topping: "olives".into() };
    assert!(matches!(check(&folder, &[other], true), Err(GoldenError::Changed { .. })));
    // Even when no sample shows it: what is in the file is not what comes back.
    assert!(matches!(
        check::<v1_edited::Order>(&folder, &[], true),
        Err(GoldenError::Changed { .. })
    ));
    assert_eq!(text(&folder.join("Order.v1.json")), before);
}

#[test]
fn a_new_version_must_read_the_files_of_older_ones() {
    let folder = folder();
    let folder = folder.path().join("golden");
    let order = v2::Order { toppings: vec!["ham".into()] };
    assert!(matches!(check(&folder, std::slice::from_ref(&order), true), Ok(Golden::Written(_))));
    assert_eq!(check(&folder, &[order], false).unwrap(), Golden::Kept);
    let broken = v2_broken::Order { toppings: vec!["ham".into()] };
    let error = check(&folder, &[broken], false).unwrap_err();
    assert!(matches!(error, GoldenError::Unreadable { version: 1, index: 0, .. }), "{error}");
    assert!(error.to_string().contains("nobody remembers version 1"), "{error}");
    let error = check(&folder, &[ham()], false).unwrap_err();
    assert!(matches!(error, GoldenError::Ahead { version: 1, .. }), "{error}");
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_not_believed() {
    for wrong in ["{}", "[", r#"[{"$version":2,"toppings":[]}]"#, r#"[{"$version":"1"}]"#] {
        let folder = folder();
        let folder = folder.path().join("golden");
        fs::write(folder.join("Order.v1.json"), wrong).unwrap();
        let error = check::<v2::Order>(&folder, &[], true).unwrap_err();
        assert!(matches!(error, GoldenError::File { .. }), "{wrong}: {error}");
    }
    // Other types' files, and what is not one.
    let folder = folder();
    for name in ["OrderLine.v9.json", "Order.v9.txt", "Order.vx.json"] {
        fs::write(folder.path().join("golden").join(name), "-").unwrap();
    }
    assert_eq!(check(&folder.path().join("golden"), &[ham()], false).unwrap(), Golden::Kept);
}

#[test]
fn the_macro_finds_the_folder_of_the_crate() {
    sayso_turn::golden!("tests/data/golden", v1::Order, [ham(), v1::Order::default()]);
    let missing = std::panic::catch_unwind(|| {
        sayso_turn::golden!("tests/data/golden", v2::Order, [v2::Order::default()]);
    });
    let words = missing.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("Order.v2.json has 0 of 1 samples"), "{words}");
}
