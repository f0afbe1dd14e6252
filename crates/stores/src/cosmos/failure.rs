//! Classifies the errors of Cosmos DB by remedy: did the call happen, and what can be done?

use std::{borrow::Cow, time::Duration};

use azure_data_cosmos::CosmosError;
use sayso_turn::{Key, store::Error};

use super::item::ITEM_BYTES_MAX;

/// The purpose of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim<'a> {
    /// To read: nothing changes, whatever happens.
    Read,
    /// To write an item of this many bytes, or to delete it.
    Write { key: &'a Key, bytes: usize },
    /// To look at or make the database or a container.
    SetUp,
}

/// The document is not there, and neither is anything wrong.
pub(super) fn is_absent(error: &CosmosError) -> bool {
    let status = error.status();
    status.is_not_found() && !status.is_read_session_not_available() && !is_homeless(error)
}

/// True if the container itself, or its database, does not exist.
pub(super) fn is_homeless(error: &CosmosError) -> bool {
    const OWNER_NOT_FOUND: u16 = 1003;
    let sub_status = error.status().sub_status().map(|code| code.value());
    error.status().is_not_found() && sub_status == Some(OWNER_NOT_FOUND)
}

/// True if the account refused the key or the identity, and nothing was done.
pub(super) fn is_about_rights(error: &Error) -> bool {
    let (Error::Unavailable { source, .. } | Error::Invalid { source, .. }) = error else {
        return false;
    };
    let source = source.as_ref().and_then(|source| source.downcast_ref::<CosmosError>());
    source.is_some_and(refuses_us)
}

fn refuses_us(error: &CosmosError) -> bool {
    let status = error.status();
    matches!(u16::from(status.status_code()), 401 | 403)
        && !status.is_write_forbidden()
        && !status.is_database_account_not_found()
}

/// The condition of a write did not hold when it was tried last.
pub(super) fn is_conflict(error: &CosmosError) -> bool {
    let status = error.status();
    status.is_conflict() || status.is_precondition_failed() || is_absent(error)
}

/// True if an earlier attempt of the same write may have landed: the library sends again after a
/// broken connection, and our own write then looks like somebody else's.
pub(super) fn may_have_landed_before(error: &CosmosError) -> bool {
    tries(error).is_none_or(|tries| {
        let earlier = tries.split_last().map_or(&[][..], |(_last, earlier)| earlier);
        earlier.contains(&true)
    })
}

/// True if no attempt of this call has left this machine, or all were refused.
fn is_surely_undone(error: &CosmosError) -> bool {
    tries(error).is_some_and(|tries| !tries.is_empty() && !tries.contains(&true))
}

/// For each attempt of this call, whether it may have been done.
fn tries(error: &CosmosError) -> Option<Vec<bool>> {
    let diagnostics = error.diagnostics()?;
    let requests = diagnostics.requests();
    let sent = requests.iter().filter(|request| request.pipeline_type().is_data_plane());
    let tries = sent.map(|request| {
        let code = u16::from(request.status().status_code());
        // A definite answer of the service, and it says: not done.
        let is_refused = (400..500).contains(&code) && code != 408 && code != 410;
        !is_refused && !request.request_sent().definitely_not_sent()
    });
    // Of many tries the library forgets some, and those may have landed.
    let is_whole = diagnostics.request_count() == requests.len();
    Some((!is_whole).then_some(true).into_iter().chain(tries).collect())
}

/// Converts an error of the library to one of the store.
pub(super) fn sort(store: &str, aim: Aim<'_>, error: CosmosError) -> Error {
    let store: Cow<'static, str> = Cow::Owned(store.to_owned());
    let status = error.status();
    let code = u16::from(status.status_code());
    if matches!(aim, Aim::Write { .. }) && may_have_landed_before(&error) {
        let reason = format!("the connection broke and the write was sent again (status {status})");
        return Error::Unknown { store, reason, source: Some(Box::new(error)) };
    }
    if let (413, Aim::Write { key, bytes }) = (code, aim) {
        return Error::TooLarge { store, key: key.clone(), bytes, bytes_max: ITEM_BYTES_MAX };
    }
    if status.is_throttled() {
        let headers = error.response().map(|response| response.headers());
        let after = headers.and_then(|headers| headers.retry_after_ms).map(Duration::from_millis);
        return Error::Throttled { store, after };
    }
    let may_have_happened = matches!(aim, Aim::Write { .. }) && !is_surely_undone(&error);
    let (remedy, reason) = match refuses_us(&error) {
        // A mistake on opening. Later somebody is changing a key.
        true if matches!(aim, Aim::SetUp) => (Remedy::Never, REFUSED),
        true => (Remedy::Later, REFUSED),
        false => remedy(&error, code, may_have_happened),
    };
    let reason = format!("{reason} (status {status})");
    let source: Option<Box<dyn std::error::Error + Send + Sync>> = Some(Box::new(error));
    match remedy {
        Remedy::Look => Error::Unknown { store, reason, source },
        Remedy::Later => Error::Unavailable { store, reason, source },
        Remedy::Never => Error::Invalid { store, reason, source },
    }
}

const REFUSED: &str = "it does not accept the key or the identity: check the account key, or the \
    role of the identity (Cosmos DB Built-in Data Contributor), and the clock of this machine";

enum Remedy {
    /// It may have happened.
    Look,
    /// It did not happen and may succeed later.
    Later,
    /// It did not happen and never will as it is.
    Never,
}

fn remedy(error: &CosmosError, code: u16, may_have_happened: bool) -> (Remedy, &'static str) {
    let status = error.status();
    let later = if may_have_happened { Remedy::Look } else { Remedy::Later };
    match code {
        _ if is_homeless(error) => (
            Remedy::Never,
            "the database or the container is gone: create it, or open with create=true",
        ),
        404 if status.is_read_session_not_available() => {
            (Remedy::Later, "the region that was asked is behind what this session has seen")
        }
        449 => (Remedy::Later, "others write the same document at this moment"),
        // Others are about rights.
        403 => (Remedy::Later, "the account is moving to another region"),
        408 => (later, "no answer came in time"),
        410 | 500.. => (later, "the service or the way to it fails"),
        _ => (Remedy::Never, "it does not understand the request"),
    }
}
