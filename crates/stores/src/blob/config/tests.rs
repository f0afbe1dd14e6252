//! URLs and variables, without the environment of the process.

use super::*;

const CONNECTION: &str = "AccountName=bots;AccountKey=canary==";

fn from(url: &str, variables: &[(&str, &str)]) -> Result<BlobConfig, Error> {
    BlobConfig::from_url_and(url, |name| {
        let found = variables.iter().find(|(given, _)| *given == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn shown(config: &BlobConfig) -> String {
    let access = match &config.access {
        Access::Key(key) => format!("key {}", &key.secret()[..4]),
        Access::Sas(sas) => format!("sas {}", sas.secret()),
        Access::File(path) => format!("file {}", path.display()),
        Access::Entra(entra) => format!("{entra:?}"),
    };
    format!("{} {} {access}", config.endpoint, config.container)
}

#[test]
fn a_url_names_account_and_container_and_a_variable_gives_the_right() {
    for (url, variables, expected) in [
        (
            "azblob:https://bots.blob.core.windows.net/state",
            &[("AZURE_STORAGE_KEY", "abcd=="), ("AZURE_STORAGE_SAS_TOKEN", "sig=1")][..],
            "https://bots.blob.core.windows.net state key abcd",
        ),
        (
            "azblob:https://bots.blob.core.windows.net/state/",
            &[("AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=a%2B")],
            "https://bots.blob.core.windows.net state sas sv=1&sig=a%2B",
        ),
        (
            "azblob:https://bots.blob.core.windows.net/state",
            &[],
            "https://bots.blob.core.windows.net state Automatic",
        ),
        (
            "azblob:https://bots.blob.core.windows.net/state",
            &[("AZURE_STORAGE_CONNECTION_STRING", CONNECTION), ("AZURE_STORAGE_KEY", "no")],
            "https://bots.blob.core.windows.net state key cana",
        ),
        (
            "azblob:https://bots.blob.core.windows.net/state?secret-file=%2Fa%20b",
            &[("AZURE_STORAGE_KEY", "abcd=="), ("SAYSO_STORE_SECRET_FILE", "/c")],
            "https://bots.blob.core.windows.net state file /a b",
        ),
        (
            "azblob:https://bots.blob.core.windows.net/state",
            &[("AZURE_STORAGE_KEY", "abcd=="), ("SAYSO_STORE_SECRET_FILE", "/c")],
            "https://bots.blob.core.windows.net state file /c",
        ),
        (
            "azblob:http://127.0.0.1:10000/devstoreaccount1/state",
            &[],
            "http://127.0.0.1:10000/devstoreaccount1 state key Eby8",
        ),
        (
            "azblob:state",
            &[("AZURE_STORAGE_CONNECTION_STRING", CONNECTION)],
            "https://bots.blob.core.windows.net state key cana",
        ),
    ] {
        assert_eq!(shown(&from(url, variables).unwrap()), expected);
    }
}

#[test]
fn the_query_sets_layout_due_and_create() {
    let plain = from("azblob:https://b.blob.core.windows.net/c", &[]).unwrap();
    assert_eq!((plain.layout, plain.due_by), (Layout::Sayso, DueBy::Tags));
    assert!(plain.creates_container);
    let set = "azblob:https://b.blob.core.windows.net/c?layout=python&due=list&create=no";
    let set = from(set, &[]).unwrap();
    assert_eq!((set.layout, set.due_by), (Layout::Python, DueBy::Listing));
    assert!(!set.creates_container);
    for (auth, identity) in
        [("entra", Entra::Automatic), ("managed", Entra::Managed), ("developer", Entra::Developer)]
    {
        let url = format!("azblob:https://b.blob.core.windows.net/c?auth={auth}");
        let config = from(&url, &[("AZURE_STORAGE_KEY", "abcd==")]).unwrap();
        assert!(matches!(config.access, Access::Entra(own) if own == identity), "{auth}");
    }
}

#[test]
fn a_bad_url_is_refused_with_what_to_do_and_without_secrets() {
    let string = [("AZURE_STORAGE_CONNECTION_STRING", CONNECTION)];
    for (url, variables, part) in [
        ("https://b.blob.core.windows.net/c", &[][..], "use azblob:https://ACCOUNT"),
        ("azblob:", &[], "AZURE_STORAGE_CONNECTION_STRING"),
        ("azblob:state", &[], "AZURE_STORAGE_CONNECTION_STRING"),
        ("azblob:https://b.blob.core.windows.net", &[], "use azblob:https://ACCOUNT"),
        ("azblob:https://h/a/b/c", &[], "use azblob:https://ACCOUNT"),
        ("azblob:https://me:canary@b.blob.core.windows.net/c", &[], "use azblob:https"),
        ("azblob:ftp://b.blob.core.windows.net/c", &[], "use azblob:https"),
        ("azblob:https://b.blob.core.windows.net/c?sig=canary", &[], "AZURE_STORAGE_SAS_TOKEN"),
        ("azblob:https://b.blob.core.windows.net/c?layout=js&canary+1==", &[], "`...` in the URL"),
        ("azblob:https://b.blob.core.windows.net/c?layout=perl", &[], "dotnet"),
        ("azblob:https://b.blob.core.windows.net/c?due=never", &[], "due=tags|list"),
        ("azblob:https://other.blob.core.windows.net/c", &string, "the account `bots`"),
        ("azblob:https://example.org/c", &string, "AccountName"),
    ] {
        let error = from(url, variables).unwrap_err().to_string();
        assert!(error.contains(part), "{url}: {error}");
        assert!(!error.contains("canary"), "{url}: {error}");
        assert!(!error.contains('\n'), "{url}: {error}");
    }
}
