//! Values of invokes and events with well-known names, and the answers to them.

mod adaptive;
mod search;
mod token;

pub use adaptive::{AdaptiveCardAction, AdaptiveCardInvoke, AdaptiveCardResponse};
pub use search::{SearchInvoke, SearchResponse, SearchResult};
pub use token::{Token, TokenExchangeRequest, TokenExchangeResponse, TokenResponse};

use serde::Serialize;

use crate::Raw;

/// An invoke whose value is not what its name promises: the body of the answer, with status 400.
///
/// # Example
///
/// ```
/// use sayso_activity::{Activity, AdaptiveCardInvoke};
///
/// let error = AdaptiveCardInvoke::of(&Activity::default()).unwrap_err();
/// let text = r#"{"statusCode":400,"type":"application/vnd.microsoft.error","value":{"code":"BadRequest","message":"the invoke has no value"}}"#;
/// assert_eq!(serde_json::to_string(&error)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}", value.message)]
pub struct InvokeError {
    #[serde(rename = "statusCode")]
    status: u16,
    #[serde(rename = "type")]
    kind: &'static str,
    value: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Reason {
    code: &'static str,
    message: &'static str,
}

impl InvokeError {
    /// The media type of an error in the body of an answer.
    pub const CONTENT_TYPE: &'static str = "application/vnd.microsoft.error";

    /// The HTTP status that goes with it.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The error code: `BadRequest` or `NotSupported`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.value.code
    }

    pub(crate) const fn bad_request(message: &'static str) -> Self {
        Self::new("BadRequest", message)
    }

    pub(crate) const fn not_supported(message: &'static str) -> Self {
        Self::new("NotSupported", message)
    }

    const fn new(code: &'static str, message: &'static str) -> Self {
        Self { status: 400, kind: Self::CONTENT_TYPE, value: Reason { code, message } }
    }
}

/// The value of an invoke, which must be there.
fn value(activity: &crate::Activity) -> Result<&Raw, InvokeError> {
    activity.value.as_ref().ok_or(InvokeError::bad_request("the invoke has no value"))
}
