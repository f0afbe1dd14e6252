//! Names that the SDKs give, by their own examples, and what every name must be.

use super::*;

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

fn name(layout: Layout, text: &str) -> String {
    Names(layout).name(&key(text)).unwrap()
}

/// The key of the SDKs' own storage tests.
const ODD: &str = "!@#$%^&*()~/\\><,.?';\"`~";

#[test]
fn names_are_those_that_the_sdks_give() {
    for (text, dotnet, js) in [
        (
            "emulator/conversations/abc|livechat",
            "emulator%2fconversations%2fabc%7clivechat",
            "emulator%2Fconversations%2Fabc%7Clivechat",
        ),
        (
            "msteams/users/29:1abc_-D é",
            "msteams%2fusers%2f29%3a1abc_-D+%c3%a9",
            "msteams%2Fusers%2F29%3A1abc_-D%20%C3%A9",
        ),
        (
            "test/conversations/Convo1/",
            "test%2fconversations%2fConvo1%2f",
            "test%2Fconversations%2FConvo1",
        ),
        ("/a//b/", "%2fa%2f%2fb%2f", "%2Fa%2Fb"),
        (
            ODD,
            "!%40%23%24%25%5e%26*()%7e%2f%5c%3e%3c%2c.%3f%27%3b%22%60%7e",
            "!%40%23%24%25%5E%26*()~%2F%5C%3E%3C%2C.%3F'%3B%22%60~",
        ),
    ] {
        assert_eq!(name(Layout::Dotnet, text), dotnet);
        assert_eq!(name(Layout::Js, text), js);
    }
    for text in ["emulator/conversations/abc|livechat", "msteams/users/29:1abc_-D é"] {
        assert_eq!(name(Layout::Python, text), text);
        assert_eq!(name(Layout::Sample, text), text);
    }
    let private = "webchat/conversations/c/users/u";
    assert_eq!(name(Layout::Python, private), "webchat/conversations/c/users/u/");
    assert_eq!(Names(Layout::Python).key(&format!("{private}/")), Named::Key(key(private)));
    assert_eq!(name(Layout::Sample, private), private);
}

#[test]
fn names_of_ours_are_plain() {
    assert_eq!(name(Layout::Sayso, "webchat/conversations/a.b"), "webchat~2Fconversations~2Fa~2Eb");
    assert_eq!(name(Layout::Sayso, ".."), "~2E~2E");
    let long = name(Layout::Sayso, &"/".repeat(2048));
    assert_eq!(long.len(), 510 + 2 + 64);
    assert!(long.starts_with("~2F~2F") && long.contains("~2F~~"), "{long}");
}

#[test]
fn a_long_name_is_cut_by_javascript_and_refused_by_the_others() {
    let long = format!("test/conversations/{}", "é".repeat(600));
    let cut = name(Layout::Js, &long);
    assert_eq!(cut.len(), 1024);
    let Named::Cut(left) = Names(Layout::Js).key(&cut) else { panic!("{cut}") };
    assert!(long.starts_with(left.as_str()) && left.as_str().len() > 300);
    assert!(Names(Layout::Dotnet).name(&key(&long)).unwrap_err().contains("so long"));
    // 600 characters are no problem where they are counted as they are.
    assert_eq!(name(Layout::Python, &long), long);
    let longer = key(&"x".repeat(1025));
    assert!(Names(Layout::Python).name(&longer).unwrap_err().contains("so long"));
    assert!(Names(Layout::Sample).name(&longer).unwrap_err().contains("so long"));
}

#[test]
fn a_name_that_would_go_astray_is_refused() {
    for layout in [Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample] {
        for text in [".", ".."] {
            assert!(Names(layout).name(&key(text)).is_err(), "{layout} {text}");
        }
    }
    for text in ["/", "//"] {
        assert!(Names(Layout::Js).name(&key(text)).is_err(), "an empty name is the container's");
    }
    for layout in [Layout::Python, Layout::Sample] {
        for text in ["a/../b", "./a", "a\\b", "a\0", "a\nb"] {
            assert!(Names(layout).name(&key(text)).is_err(), "{layout} {text:?}");
        }
    }
}

#[test]
fn foreign_names_are_not_taken_for_keys() {
    for (layout, name) in [
        (Layout::Sayso, "a/b"),
        (Layout::Sayso, "a~2fb"),
        (Layout::Sayso, "a~2"),
        (Layout::Sayso, "a~C3"),
        (Layout::Dotnet, "a%2Fb"),
        (Layout::Dotnet, "a/b"),
        (Layout::Js, "a%2fb"),
        (Layout::Js, "a%2F%2Fb"),
        (Layout::Js, "a%2F"),
    ] {
        assert_eq!(Names(layout).key(name), Named::Foreign, "{layout} {name}");
    }
}

#[cfg(feature = "conformance")]
mod properties {
    use super::*;
    use proptest::prelude::*;

    const LAYOUTS: [Layout; 5] =
        [Layout::Sayso, Layout::Dotnet, Layout::Js, Layout::Python, Layout::Sample];

    proptest! {
        #[test]
        fn a_key_of_ours_comes_back_from_its_name_or_its_record(text in "\\PC{1,40}|.{1,300}") {
            prop_assume!(text.len() <= 2048);
            let key = key(&text);
            let name = Names(Layout::Sayso).name(&key).unwrap();
            prop_assert!(name.len() <= 1024);
            prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte)));
            match Names(Layout::Sayso).key(&name) {
                Named::Key(own) => prop_assert_eq!(&own, &key),
                other => {
                    prop_assert_eq!(other, Named::Recorded);
                    prop_assert!(record(&key).len() > 1024);
                }
            }
            prop_assert_eq!(recorded(&record(&key)), Some(key));
        }

        #[test]
        fn the_prefix_of_a_key_finds_its_name(
            text in "[a-c/é.~%+ ]{1,40}|.{200,900}",
            cut in 0_usize..900
        ) {
            prop_assume!(text.len() <= 2048);
            let key = key(&text);
            let mut cuts = (0..=cut.min(text.len())).rev();
            let cut = cuts.find(|at| text.is_char_boundary(*at)).unwrap();
            for layout in LAYOUTS {
                if let Ok(name) = Names(layout).name(&key) {
                    let prefix = Names(layout).prefix(&text[..cut]);
                    prop_assert!(name.starts_with(&prefix), "{} {} {}", layout, name, prefix);
                }
            }
        }

        #[test]
        fn a_key_of_an_sdk_comes_back_from_its_name(text in "[a-z]{1,5}/(conversations|users)/[a-zA-Z0-9é😀:;@=|% +.~_-]{1,40}x") {
            for layout in LAYOUTS {
                let key = key(&text);
                let name = Names(layout).name(&key).unwrap();
                prop_assert_eq!(Names(layout).key(&name), Named::Key(key));
            }
        }
    }
}
