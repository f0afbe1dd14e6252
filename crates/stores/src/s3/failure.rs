//! Classifies failed calls: did the call happen, and what can be done?
//!
//! The server's text may quote keys, names and signatures; so only its status and code go further
//! than `answers`.

use std::{borrow::Cow, error::Error as _};

use object_store::client::{HttpError, HttpErrorKind};
use sayso_turn::store::Error;

use super::answers::Refusal;

/// A call that brought no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// No answer in time.
    Late,
    /// An error of the library, and the server's answer if that is why.
    Failed { error: object_store::Error, refusal: Option<Refusal> },
    /// An answer without an ETag.
    Strange,
}

/// The effect a call can have, which decides whether its failure leaves doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// A read on opening the store. What a person must put right is final here, and only here:
    /// later it may be put right while the bot runs.
    Open,
    Read,
    Write,
}

impl Failure {
    /// An error of the library without an answer of the server.
    pub(super) fn failed(error: object_store::Error) -> Self {
        Self::Failed { error, refusal: None }
    }

    /// True if the server reports that the condition of a write did not hold.
    pub(super) fn is_conflict(&self) -> bool {
        matches!(
            self,
            Self::Failed {
                error: object_store::Error::AlreadyExists { .. }
                    | object_store::Error::Precondition { .. },
                ..
            }
        )
    }

    /// True if a read may be repeated at once: the connection broke under it.
    pub(super) fn is_broken_connection(&self) -> bool {
        let Self::Failed { error, .. } = self else { return false };
        matches!(
            transport(error),
            Some(HttpErrorKind::Request | HttpErrorKind::Interrupted | HttpErrorKind::Decode)
        )
    }

    /// True if a range was asked of an object without any bytes.
    pub(super) fn is_empty_object(&self) -> bool {
        matches!(self, Self::Failed { refusal: Some(refusal), .. } if refusal.status == 416)
    }

    /// True if there is no such object.
    pub(super) fn is_missing(&self) -> bool {
        let Self::Failed { error: object_store::Error::NotFound { .. }, refusal } = self else {
            return false;
        };
        refusal.as_ref().and_then(|refusal| refusal.code.as_deref()) != Some("NoSuchBucket")
    }

    /// True if the key is not, or no longer, what the server wants: nothing was done.
    pub(super) fn is_about_rights(&self) -> bool {
        let Self::Failed { error, refusal: Some(refusal) } = self else { return false };
        let is_named = refusal.code.as_deref().is_some_and(|code| RIGHTS.contains(&code));
        transport(error).is_none() && (is_named || matches!(refusal.status, 401 | 403))
    }

    /// The server's code for it, or its status.
    pub(super) fn shown_code(&self) -> String {
        let Self::Failed { refusal: Some(refusal), .. } = self else { return String::new() };
        refusal.code.clone().unwrap_or_else(|| refusal.status.to_string())
    }

    pub(super) fn into_error(self, store: &str, call: Call) -> Error {
        let store = Cow::Owned(store.to_owned());
        let (error, refusal) = match self {
            Self::Late => {
                return in_doubt(store, "there was no answer in time".to_owned(), call);
            }
            Self::Strange => {
                return in_doubt(store, "it gave no ETag; every S3 server does".to_owned(), call);
            }
            Self::Failed { error, refusal } => (error, refusal),
        };
        if let Some(kind) = transport(&error) {
            let reason = format!("the connection failed ({kind:?})");
            return match kind {
                HttpErrorKind::Connect => Error::Unavailable {
                    store,
                    reason: "it does not accept connections: is the endpoint right?".to_owned(),
                    source: None,
                },
                _ => in_doubt(store, reason, call),
            };
        }
        answered(store, refusal.as_ref(), &error, call)
    }
}

fn in_doubt(store: Cow<'static, str>, reason: String, call: Call) -> Error {
    match call {
        Call::Open | Call::Read => Error::Unavailable { store, reason, source: None },
        Call::Write => Error::Unknown { store, reason, source: None },
    }
}

/// Codes by which a server refuses a key, whatever the status.
const RIGHTS: [&str; 6] = [
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "RequestTimeTooSkewed",
];

/// An error that a person must put right. Nothing was done.
fn unusable(store: Cow<'static, str>, reason: &str, call: Call) -> Error {
    let reason = reason.to_owned();
    match call {
        Call::Open => Error::Invalid { store, reason, source: None },
        Call::Read | Call::Write => Error::Unavailable { store, reason, source: None },
    }
}

/// Classifies an error that the server answered.
fn answered(
    store: Cow<'static, str>,
    refusal: Option<&Refusal>,
    error: &object_store::Error,
    call: Call,
) -> Error {
    let never =
        |store, reason: &str| Error::Invalid { store, reason: reason.to_owned(), source: None };
    let code = refusal.and_then(|refusal| refusal.code.as_deref());
    match (code, refusal.map(|refusal| refusal.status)) {
        (Some("NoSuchBucket"), _) => never(store, "there is no such bucket; create it"),
        (Some("InvalidAccessKeyId" | "SignatureDoesNotMatch"), _) => unusable(
            store,
            "the access key is wrong; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the \
             secret file",
            call,
        ),
        (Some("ExpiredToken" | "InvalidToken" | "TokenRefreshRequired"), _) => {
            unusable(store, "the session token has expired; give a new one", call)
        }
        (Some("RequestTimeTooSkewed"), _) => {
            unusable(store, "the clock of this machine is wrong", call)
        }
        (Some("SlowDown"), _) | (_, Some(429)) => Error::Throttled { store, after: None },
        (_, Some(401 | 403)) => unusable(
            store,
            "access is denied; the key needs s3:GetObject, s3:PutObject, s3:DeleteObject on the \
             objects and s3:ListBucket on the bucket",
            call,
        ),
        (_, Some(501)) => {
            never(store, "it does not know conditional writes; use a server that does")
        }
        (_, Some(status @ 300..=399)) => never(
            store,
            &format!(
                "the bucket is elsewhere (status {status}); check the region and the endpoint"
            ),
        ),
        // The server has looked at the request and declined it.
        (code, Some(status @ 400..=499)) if status != 408 => {
            let code = code.unwrap_or("no code");
            never(store, &format!("it declined with status {status} and {code}"))
        }
        (code, Some(status)) => {
            let code = code.unwrap_or("no code");
            in_doubt(store, format!("it failed with status {status} and {code}"), call)
        }
        (_, None) if matches!(error, object_store::Error::NotFound { .. }) => {
            never(store, "there is no such object")
        }
        (_, None) => in_doubt(
            store,
            "there was no answer; check the endpoint, and that there are credentials".to_owned(),
            call,
        ),
    }
}

/// The kind of failure of a request without an answer.
fn transport(error: &object_store::Error) -> Option<HttpErrorKind> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(refusal: Option<Refusal>, call: Call) -> (&'static str, String) {
        // The words of the library quote the server's.
        let error = object_store::Error::Generic { store: "S3", source: "pizza".into() };
        let error = Failure::Failed { error, refusal }.into_error("S3 bucket bots", call);
        let kind = match &error {
            Error::Unknown { .. } => "unknown",
            Error::Throttled { .. } => "throttled",
            Error::Unavailable { .. } => "unavailable",
            Error::Invalid { .. } => "invalid",
            _ => "other",
        };
        (kind, format!("{error} {error:?}"))
    }

    #[test]
    fn answers_are_sorted_by_what_they_say_about_the_write() {
        for (status, code, read, write) in [
            (503, "SlowDown", "throttled", "throttled"),
            (429, "X", "throttled", "throttled"),
            (503, "ServiceUnavailable", "unavailable", "unknown"),
            (500, "InternalError", "unavailable", "unknown"),
            (504, "X", "unavailable", "unknown"),
            (408, "X", "unavailable", "unknown"),
            (400, "InvalidRequest", "invalid", "invalid"),
            (400, "ExpiredToken", "unavailable", "unavailable"),
            (403, "InvalidAccessKeyId", "unavailable", "unavailable"),
            (403, "AccessDenied", "unavailable", "unavailable"),
            (403, "RequestTimeTooSkewed", "unavailable", "unavailable"),
            (404, "NoSuchBucket", "invalid", "invalid"),
            (501, "NotImplemented", "invalid", "invalid"),
            (301, "PermanentRedirect", "invalid", "invalid"),
        ] {
            let refusal = Refusal { status, code: Some(code.to_owned()) };
            let refusal = Some(refusal);
            assert_eq!(report(refusal.clone(), Call::Read).0, read, "{refusal:?}");
            assert_eq!(report(refusal.clone(), Call::Write).0, write, "{refusal:?}");
            // A mistake on opening, and later a trouble that passes.
            if status == 403 || code == "ExpiredToken" {
                assert_eq!(report(refusal.clone(), Call::Open).0, "invalid", "{refusal:?}");
            }
            assert!(!report(refusal, Call::Write).1.contains("pizza"), "nothing is quoted");
        }
        let without_code = Some(Refusal { status: 503, code: None });
        assert_eq!(report(without_code, Call::Write).0, "unknown");
        assert_eq!(report(None, Call::Write).0, "unknown");
        assert!(!report(None, Call::Write).1.contains("pizza"));
    }

    #[test]
    fn what_was_never_sent_did_not_happen() {
        let io = || std::io::Error::from(std::io::ErrorKind::Other);
        for (kind, expected) in [
            (HttpErrorKind::Connect, "unavailable"),
            (HttpErrorKind::Request, "unknown"),
            (HttpErrorKind::Timeout, "unknown"),
            (HttpErrorKind::Interrupted, "unknown"),
            (HttpErrorKind::Decode, "unknown"),
            (HttpErrorKind::Unknown, "unknown"),
        ] {
            let source = Box::new(HttpError::new(kind, io()));
            let error = object_store::Error::Generic { store: "S3", source };
            let error = Failure::failed(error).into_error("S3", Call::Write);
            let is_unknown = matches!(error, Error::Unknown { .. });
            assert_eq!(is_unknown, expected == "unknown", "{kind:?}: {error}");
        }
        let error = Failure::Late.into_error("S3", Call::Write);
        assert!(matches!(error, Error::Unknown { .. }), "{error}");
    }
}
