//! Invoke `application/search`: type-ahead search for an input of an adaptive card.

use serde::Serialize;

use super::{InvokeError, value};
use crate::json::wire_struct::wire_struct;
use crate::{Activity, Raw};

wire_struct! {
    /// A search request that an input of an adaptive card sends while the user types.
    ///
    /// # Example
    ///
    /// ```
    /// use sayso_activity::{Activity, SearchInvoke};
    ///
    /// let activity = Activity::from_json(
    ///     br#"{"type":"invoke","name":"application/search","channelId":"test",
    ///          "value":{"kind":"search","queryText":"pi","queryOptions":{"skip":0,"top":5}}}"#,
    /// )?;
    /// assert_eq!(SearchInvoke::of(&activity)?.query_text.unwrap(), "pi");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct SearchInvoke, "search";
    required {}
    optional {
        /// The type of search: `search`, `searchAnswer` or `typeahead`.
        kind: String = "kind",
        /// The text that was typed.
        query_text: String = "queryText",
        /// Paging of the results: `{"skip":0,"top":5}`.
        query_options: Raw = "queryOptions",
        /// The context of the input.
        context: Raw = "context",
        /// The data set to search, by the bot's own name for it.
        dataset: String = "dataset",
    }
}

/// The answer to a search.
///
/// # Example
///
/// ```
/// use sayso_activity::{SearchResponse, SearchResult};
///
/// let response = SearchResponse::new([SearchResult::new("Pizza", "pizza")]);
/// let text = r#"{"statusCode":200,"type":"application/vnd.microsoft.search.searchResponse","value":{"results":[{"title":"Pizza","value":"pizza"}]}}"#;
/// assert_eq!(serde_json::to_string(&response)?, text);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchResponse {
    #[serde(rename = "statusCode")]
    status: u16,
    #[serde(rename = "type")]
    kind: &'static str,
    value: Results,
}

/// One thing that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchResult {
    title: String,
    value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Results {
    results: Vec<SearchResult>,
}

impl SearchInvoke {
    /// The name of the invoke.
    pub const NAME: &'static str = "application/search";

    /// Reads the value of an invoke, and checks it. Teams leaves the kind out, and means `search`.
    ///
    /// # Errors
    ///
    /// When there is no value, no kind or no text. The error is the body to answer with.
    pub fn of(activity: &Activity) -> Result<Self, InvokeError> {
        let mut search: Self = value(activity)?
            .get()
            .map_err(|_| InvokeError::bad_request("the value is not a search"))?;
        if search.kind.as_deref().is_none_or(str::is_empty) {
            if activity.channel() != "msteams" {
                return Err(InvokeError::bad_request("the search has no kind"));
            }
            search.kind = Some("search".to_owned());
        }
        match search.query_text.as_deref() {
            None | Some("") => Err(InvokeError::bad_request("the search has no queryText")),
            Some(_) => Ok(search),
        }
    }
}

impl SearchResponse {
    /// A response with these results, best first.
    #[must_use]
    pub fn new(results: impl IntoIterator<Item = SearchResult>) -> Self {
        Self {
            status: 200,
            kind: "application/vnd.microsoft.search.searchResponse",
            value: Results { results: results.into_iter().collect() },
        }
    }
}

impl SearchResult {
    /// A result: the title to show, and the value that the input then holds.
    #[must_use]
    pub fn new(title: impl Into<String>, value: impl Into<String>) -> Self {
        Self { title: title.into(), value: value.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::SearchInvoke;
    use crate::Activity;

    fn read(channel: &str, value: &str) -> Result<SearchInvoke, String> {
        let text = format!(r#"{{"type":"invoke","channelId":"{channel}","value":{value}}}"#);
        let activity = Activity::from_json(text.as_bytes()).unwrap();
        SearchInvoke::of(&activity).map_err(|error| format!("{} {error}", error.code()))
    }

    #[test]
    fn a_search_needs_a_kind_and_a_text() {
        for (channel, value, error) in [
            ("test", "null", "BadRequest the invoke has no value"),
            ("test", "[]", "BadRequest the value is not a search"),
            ("test", r#"{"queryText":"a"}"#, "BadRequest the search has no kind"),
            ("test", r#"{"kind":"","queryText":"a"}"#, "BadRequest the search has no kind"),
            ("test", r#"{"kind":"search"}"#, "BadRequest the search has no queryText"),
            ("msteams", r#"{"queryText":""}"#, "BadRequest the search has no queryText"),
        ] {
            assert_eq!(read(channel, value).unwrap_err(), error, "{value}");
        }
    }

    #[test]
    fn teams_may_leave_the_kind_out() {
        let search = read("msteams", r#"{"queryText":"a","dataset":"d","z":1}"#).unwrap();
        assert_eq!(search.kind.as_deref(), Some("search"));
        assert_eq!((search.dataset.as_deref(), search.extra.len()), (Some("d"), 1));
        let search = read("test", r#"{"kind":"typeahead","queryText":"a"}"#).unwrap();
        assert_eq!(search.kind.as_deref(), Some("typeahead"));
    }
}
