//! Classifies failures of the service: absent, conflict, or one of the store's errors.
//!
//! The errors of the client library are taken apart here and never passed on: they quote addresses,
//! and an address may carry a signature.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use azure_core::{
    Error as Vendor,
    error::ErrorKind,
    http::{StatusCode, headers::Headers},
};
use sayso_turn::{Key, store::Error};

use super::limits::DOCUMENT_BYTES_MAX;
use crate::loud::Reports;

/// The effect a call can have, which decides whether its failure leaves doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Write,
}

/// A failed call, classified.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no such blob.
    Absent,
    /// There is no such container.
    NoContainer,
    /// The condition did not hold.
    Conflict,
    /// The blob is larger than the service takes.
    TooLarge,
    /// Anything else.
    Error(Error),
}

/// Makes errors that name the store.
#[derive(Clone, Debug)]
pub(super) struct Failures {
    store: Arc<str>,
    rights: Arc<Rights>,
}

/// Refused credentials: a mistake on opening, later a trouble that passes once a person has put it
/// right.
#[derive(Debug, Default)]
struct Rights {
    is_open: AtomicBool,
    reports: Reports,
}

impl Failures {
    pub(super) fn new(store: Arc<str>) -> Self {
        Self { store, rights: Arc::default() }
    }

    /// Marks the store as open.
    pub(super) fn opened(&self) {
        self.rights.is_open.store(true, Ordering::SeqCst);
    }

    /// Sorts a failure of the client library.
    pub(super) fn sort(&self, call: Call, vendor: &Vendor) -> Refusal {
        match vendor.kind() {
            ErrorKind::HttpResponse { status, error_code, raw_response } => {
                let wait = raw_response.as_ref().and_then(|raw| retry_after(raw.headers()));
                self.answered(call, *status, error_code.as_deref().unwrap_or_default(), wait)
            }
            // Nothing was sent.
            ErrorKind::Connection => {
                Refusal::Error(self.unavailable("no connection could be made".to_owned()))
            }
            ErrorKind::Credential => Refusal::Error(
                self.unavailable(
                    "Entra ID gave no token; sign in with `az login`, give the process a managed \
                 identity, or use a key"
                        .to_owned(),
                ),
            ),
            ErrorKind::Io => Refusal::Error(self.doubtful(call, "the connection broke".to_owned())),
            _ => Refusal::Error(self.doubtful(call, "the answer makes no sense".to_owned())),
        }
    }

    fn answered(
        &self,
        call: Call,
        status: StatusCode,
        code: &str,
        wait: Option<Duration>,
    ) -> Refusal {
        let number = u16::from(status);
        let error = match (number, code) {
            (404, "BlobNotFound") => return Refusal::Absent,
            (404, "ContainerNotFound") => return Refusal::NoContainer,
            (409, "BlobAlreadyExists" | "ContainerAlreadyExists") | (412, "ConditionNotMet") => {
                return Refusal::Conflict;
            }
            (413, _) => return Refusal::TooLarge,
            (429, _) | (503, "ServerBusy") => Error::Throttled { store: self.store(), after: wait },
            // The answer says that the container comes back or is gone later on.
            (409, "ContainerBeingDeleted" | "ContainerDisabled") => {
                self.unavailable("its container is being deleted or is disabled".to_owned())
            }
            (401 | 403, _) => self.without_right(refused(code)),
            (408, _) => self.doubtful(call, "the request took too long".to_owned()),
            (400..=499, _) => self.invalid(match (number, code) {
                (409 | 412, code) if code.contains("Lease") => {
                    "somebody holds a lease on the blob; break it, and let nobody lease blobs of \
                     this container"
                        .to_owned()
                }
                (409, "BlobImmutableDueToPolicy" | "BlobArchived" | "BlobBeingRehydrated") => {
                    format!(
                        "the blob cannot be used ({code}); remove the immutability policy, or the \
                         rule that archives blobs, from this container"
                    )
                }
                _ => format!("it answers {}", named(number, code)),
            }),
            _ => self.doubtful(call, format!("it answers {}", named(number, code))),
        };
        Refusal::Error(error)
    }

    fn without_right(&self, reason: String) -> Error {
        if !self.rights.is_open.load(Ordering::SeqCst) {
            return self.invalid(reason);
        }
        let error = self.unavailable(reason);
        self.rights.reports.tell(&error);
        error
    }

    /// No answer in time.
    pub(super) fn late(&self, call: Call, timeout: Duration) -> Error {
        self.doubtful(call, format!("no answer within {timeout:?}"))
    }

    /// An unknown outcome: for a write it may have happened, a read has merely failed.
    pub(super) fn doubtful(&self, call: Call, reason: String) -> Error {
        match call {
            Call::Read => self.unavailable(reason),
            Call::Write => Error::Unknown { store: self.store(), reason, source: None },
        }
    }

    pub(super) fn unavailable(&self, reason: String) -> Error {
        Error::Unavailable { store: self.store(), reason, source: None }
    }

    pub(super) fn invalid(&self, reason: String) -> Error {
        Error::Invalid { store: self.store(), reason, source: None }
    }

    pub(super) fn no_container(&self) -> Error {
        self.invalid("the container does not exist; create it, or let this store do it".to_owned())
    }

    pub(super) fn too_large(&self, key: &Key, bytes: usize) -> Error {
        let (store, key) = (self.store(), key.clone());
        Error::TooLarge { store, key, bytes, bytes_max: DOCUMENT_BYTES_MAX }
    }

    fn store(&self) -> Cow<'static, str> {
        Cow::Owned(self.store.to_string())
    }
}

/// The reason for a refused credential, and what to do about it.
fn refused(code: &str) -> String {
    let what = match code {
        "AuthenticationFailed" | "InvalidAuthenticationInfo" | "NoAuthenticationInformation" => {
            "the key, the SAS token or the token of Entra ID is wrong or has expired, or this \
             machine's clock is off by more than a few minutes"
        }
        "AuthorizationPermissionMismatch" | "UnauthorizedBlobOverwrite" => {
            "the right does not cover this; give a SAS token with rcwdl (and tf for index tags), or \
             the role Storage Blob Data Owner (Contributor with due=list)"
        }
        "KeyBasedAuthenticationNotPermitted" => {
            "the account does not allow keys; unset the key and use Entra ID"
        }
        _ => {
            "access is denied; check the key, the SAS token or the role, and the account's network \
             rules"
        }
    };
    let code = if is_word(code) { code } else { "no code" };
    format!("{what} ({code})")
}

fn named(status: u16, code: &str) -> String {
    if is_word(code) { format!("{status} {code}") } else { status.to_string() }
}

/// True for an error code of the service itself, and not for text of a proxy in between.
fn is_word(code: &str) -> bool {
    !code.is_empty() && code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn retry_after(headers: &Headers) -> Option<Duration> {
    let number = |name: &'static str| headers.get_optional_str(&name.into())?.parse::<u64>().ok();
    number("x-ms-retry-after-ms")
        .or_else(|| number("retry-after-ms"))
        .map(Duration::from_millis)
        .or_else(|| number("retry-after").map(Duration::from_secs))
}

#[cfg(test)]
mod tests {
    use azure_core::http::{RawResponse, headers::Headers};

    use super::*;

    fn sorted(call: Call, status: u16, code: &str, retry_after: Option<&'static str>) -> String {
        let mut headers = Headers::new();
        if let Some(wait) = retry_after {
            headers.insert("retry-after", wait);
        }
        let raw = RawResponse::from_bytes(status.into(), headers, "canary body");
        let vendor = Vendor::with_message(
            ErrorKind::HttpResponse {
                status: status.into(),
                error_code: Some(code.to_owned()),
                raw_response: Some(Box::new(raw)),
            },
            "https://x?sig=canary",
        );
        let shown = match Failures::new("S".into()).sort(call, &vendor) {
            Refusal::Error(error) => {
                assert!(!error.to_string().contains('\n'));
                format!("{error:?}").split(' ').next().unwrap().to_owned()
                    + &error.retry_after().map_or(String::new(), |wait| format!(" {wait:?}"))
            }
            other => format!("{other:?}"),
        };
        assert!(!shown.contains("canary"));
        shown
    }

    #[test]
    fn every_answer_means_what_it_is() {
        for (status, code, read, write) in [
            (404, "BlobNotFound", "Absent", "Absent"),
            (404, "ContainerNotFound", "NoContainer", "NoContainer"),
            (404, "ResourceNotFound", "Invalid", "Invalid"),
            (404, "404", "Invalid", "Invalid"),
            (409, "BlobAlreadyExists", "Conflict", "Conflict"),
            (412, "ConditionNotMet", "Conflict", "Conflict"),
            (412, "LeaseIdMissing", "Invalid", "Invalid"),
            (409, "LeaseAlreadyPresent", "Invalid", "Invalid"),
            (409, "BlobImmutableDueToPolicy", "Invalid", "Invalid"),
            (409, "ContainerBeingDeleted", "Unavailable", "Unavailable"),
            (400, "InvalidHeaderValue", "Invalid", "Invalid"),
            (403, "AuthenticationFailed", "Invalid", "Invalid"),
            (408, "408", "Unavailable", "Unknown"),
            (413, "RequestBodyTooLarge", "TooLarge", "TooLarge"),
            (500, "InternalError", "Unavailable", "Unknown"),
            (500, "OperationTimedOut", "Unavailable", "Unknown"),
            (502, "502", "Unavailable", "Unknown"),
            (503, "503", "Unavailable", "Unknown"),
            (301, "301", "Unavailable", "Unknown"),
        ] {
            assert_eq!(sorted(Call::Read, status, code, None), read, "{status} {code}");
            assert_eq!(sorted(Call::Write, status, code, None), write, "{status} {code}");
        }
    }

    #[test]
    fn throttling_says_how_long_to_wait() {
        for call in [Call::Read, Call::Write] {
            assert_eq!(sorted(call, 503, "ServerBusy", Some("3")), "Throttled 3s");
            assert_eq!(sorted(call, 429, "TooManyRequests", Some("1")), "Throttled 1s");
            assert_eq!(sorted(call, 429, "TooManyRequests", None), "Throttled");
        }
    }

    #[test]
    fn what_was_never_sent_is_unavailable_and_what_broke_is_unknown() {
        let failures = Failures::new("S".into());
        for (kind, write) in [
            (ErrorKind::Connection, "Unavailable"),
            (ErrorKind::Credential, "Unavailable"),
            (ErrorKind::Io, "Unknown"),
            (ErrorKind::DataConversion, "Unknown"),
            (ErrorKind::Other, "Unknown"),
        ] {
            let vendor = Vendor::with_message(kind, "https://x?sig=canary");
            for (call, expected) in [(Call::Write, write), (Call::Read, "Unavailable")] {
                let Refusal::Error(error) = failures.sort(call, &vendor) else {
                    panic!("{vendor:?} is an error");
                };
                let shown = format!("{error:?}");
                assert!(shown.starts_with(expected) && !shown.contains("canary"), "{shown}");
            }
        }
    }
}
