//! The names of each layout, by the vectors of the SDKs.

use std::collections::BTreeSet;

use super::*;

const PUNCTUATION: &str = "!@#$%^&*()~/\\><,.?';\"`~";

fn id(layout: Layout, real_id: &str) -> String {
    Names::new(layout).id(real_id).text
}

fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

#[test]
fn short_keys_are_escaped_as_each_sdk_does() {
    for (raw, dotnet, js, python) in [
        ("Abc12345", "Abc12345", "Abc12345", "Abc12345"),
        ("?test?", "*3ftest*3f", "*3ftest*3f", "*63test*63"),
        ("/test/", "*2ftest*2f", "*2ftest*2f", "*47test*47"),
        ("\\test\\", "*5ctest*5c", "*5ctest*5c", "*92test*92"),
        ("#test#", "*23test*23", "*23test*23", "*35test*35"),
        ("*test*", "*2atest*2a", "*2atest*2a", "*42test*42"),
        (
            "emulator/conversations/abc|livechat",
            "emulator*2fconversations*2fabc|livechat",
            "emulator*2fconversations*2fabc|livechat",
            "emulator*47conversations*47abc|livechat",
        ),
        ("a\tb\nc\rd", "a\tb\nc\rd", "a*9b*ac*dd", "a*9b*10c*13d"),
        (
            PUNCTUATION,
            "!@*23$%^&*2a()~*2f*5c><,.*3f';\"`~",
            "!@*23$%^&*2a()~*2f*5c><,.*3f';\"`~",
            "!@*35$%^&*42()~*47*92><,.*63';\"`~",
        ),
    ] {
        assert_eq!(id(Layout::Dotnet, raw), dotnet);
        assert_eq!(id(Layout::Js, raw), js);
        assert_eq!(id(Layout::Python, raw), python);
        let ours = dotnet.replace('\t', "*09").replace('\n', "*0a").replace('\r', "*0d");
        assert_eq!(id(Layout::Sayso, raw), ours, "ours is that of C#, for control characters too");
    }
}

#[test]
fn long_keys_are_shortened_as_each_sdk_does() {
    let teams = format!("msteams/conversations/{}", "x".repeat(250));
    let asked = format!("?test?{}", "A".repeat(1000));
    for (raw, dotnet, js) in [
        (
            "a".repeat(256),
            "6744c6fe",
            "02d7160d77e18c6447be80c2e355c7ed4388545271702c50253b0914c65ce5fe",
        ),
        (
            "b".repeat(300),
            "7635147e",
            "dccc1450d6fc4232955fcc5cf81105d874c4c6f8c710a71b2763d2c3238e923f",
        ),
        (teams, "df294b3c", "dea32c1d00755188e27b96d0f719b7b73154c2676887f9cb571d7b704908ec04"),
        (asked, "8d0b0a7c", "e248a895113fd063d6ef5ef43f3e3f0e14dd84f5989a9181fa9a49494672fc7b"),
    ] {
        let escaped = raw.replace('?', "*3f").replace('/', "*2f");
        let of = |layout| Names::new(layout).id(&raw);
        assert_eq!(of(Layout::Dotnet).text, format!("{}{dotnet}", &escaped[..247]));
        assert_eq!(of(Layout::Js).text, format!("{}{js}", &escaped[..191]));
        assert!(of(Layout::Dotnet).has_others && of(Layout::Js).has_others);
        assert!(of(Layout::Python).has_others && !of(Layout::Sayso).has_others);
    }
    let raw = format!("?test?{}", "A".repeat(1000));
    assert_eq!(id(Layout::Python, &raw), raw.replace('?', "*63"), "Python shortens not by default");
    let raw = format!("?test?{}", "A".repeat(1020));
    assert_eq!(id(Layout::Python, &raw).len(), 255, "but Cosmos takes no longer ones");
}

#[test]
fn a_character_is_never_cut_in_two() {
    for layout in [Layout::Sayso, Layout::Dotnet, Layout::Js, Layout::Python] {
        for odd in ["", "a", "ab", "abc"] {
            let name = id(layout, &format!("{odd}{}", "😀".repeat(500)));
            assert!(name.len() <= ID_BYTES_MAX && name.starts_with(&format!("{odd}😀")), "{name}");
        }
    }
}

#[test]
fn ours_gives_no_two_keys_one_name() {
    let long = "k".repeat(300);
    let shortened = id(Layout::Sayso, &long);
    let mut keys = vec![long, shortened.clone(), shortened.replace("**", "*"), "**".into()];
    keys.extend(
        ["*2a", "*", "*2e", ".", "..", "*2e*2e", "a\t", "a*09", "*9", "\t", "\u{85}", "*85"]
            .map(Into::into),
    );
    keys.extend((0..40).map(|more| "é".repeat(110 + more)));
    keys.extend((0..40).map(|more| "/".repeat(70 + more)));
    let names: BTreeSet<String> = keys.iter().map(|key| id(Layout::Sayso, key)).collect();
    assert_eq!(names.len(), keys.len());
    for name in names {
        assert!(name.len() <= NAME_MAX && !name.contains(['/', '\\', '?', '#']), "{name}");
        assert!(!name.contains(char::is_control), "{name}");
    }
}

#[test]
fn the_beginning_of_a_key_is_the_beginning_of_its_name() {
    let names = Names::new(Layout::Sayso);
    for key in ["a/b/c", ".", "..", ".a", "é/😀/*", &"😀".repeat(300), &"a/".repeat(500)] {
        let boundaries = (0..=key.len()).filter(|at| key.is_char_boundary(*at));
        for at in boundaries {
            let beginning = names.id_prefix(&key[..at]);
            assert!(names.id(key).text.starts_with(&beginning), "{key:?} to {at}: {beginning}");
        }
    }
}

#[test]
fn keys_have_the_namespaces_of_the_sdks_and_lose_them_again() {
    let all = [
        "emulator/conversations/C",
        "emulator/conversations/C/",
        "emulator/users/U",
        "emulator/conversations/C/users/U",
        "emulator/conversations/",
        "emulator",
        "custom/1",
        "custom/1/",
        "/",
    ];
    for layout in [Layout::Sayso, Layout::Dotnet, Layout::Js, Layout::Python] {
        let names = Names::new(layout);
        let real_ids: BTreeSet<_> =
            all.iter().map(|text| names.real_id(&key(text)).into_owned()).collect();
        assert_eq!(real_ids.len(), all.len(), "{layout}: no two keys have one realId");
        for text in all {
            assert_eq!(names.key(&names.real_id(&key(text))), Some(key(text)), "{layout}: {text}");
        }
    }
    let real_id = |layout, text| Names::new(layout).real_id(&key(text)).into_owned();
    assert_eq!(real_id(Layout::Js, "emulator/conversations/C"), "emulator/conversations/C/");
    assert_eq!(real_id(Layout::Js, "emulator/users/U"), "emulator/users/U/");
    assert_eq!(real_id(Layout::Python, "emulator/users/U"), "emulator/users/U");
    assert_eq!(real_id(Layout::Python, "e/conversations/C/users/U"), "e/conversations/C/users/U/");
    let of_a_namespace = Names::new(Layout::Js).key("emulator/conversations/C/named");
    assert_eq!(of_a_namespace, None, "no key of ours leads to another namespace");
}
