//! Recorded request and response, and the client's call that makes that request.

use reqwest::Url;
use sayso_channel::client::{Error, Service};
use sayso_turn::activity::Activity;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::patient;
use crate::support::sink::{Act, Posted, Sink};

/// A request and its response.
#[derive(Debug, Deserialize)]
pub(super) struct Exchange {
    pub(super) method: String,
    /// The path with its query.
    pub(super) path: String,
    #[serde(default)]
    pub(super) body: Option<Value>,
    pub(super) status: u16,
    #[serde(default)]
    pub(super) answer: String,
    #[serde(default)]
    pub(super) content_type: String,
    /// A file, instead of a JSON answer.
    #[serde(skip)]
    pub(super) bytes: Option<Vec<u8>>,
}

impl Exchange {
    /// Makes the call against a channel that answers so, and checks the request and the result.
    pub(super) async fn replay(&self) {
        let answer = self.bytes.as_deref().unwrap_or(self.answer.as_bytes());
        let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", self.status);
        if !self.content_type.is_empty() {
            head.push_str(&format!("content-type: {}\r\n", self.content_type));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", answer.len()));
        let mut sink = Sink::start(Act::Write([head.as_bytes(), answer].concat())).await;
        let service = patient(&sink.url());
        let outcome = self.call(&service).await;
        self.check_request(&sink.next().await);
        assert!(sink.came().is_none(), "one call is one request: {self:?}");
        self.check_outcome(outcome);
    }

    fn check_request(&self, posted: &Posted) {
        let (method, path) = posted.line().split_once(' ').unwrap();
        assert_eq!(method, self.method);
        let sent = path.strip_prefix("/_connector").unwrap();
        assert_eq!(parts(sent), parts(&self.path), "{sent}");
        match &self.body {
            Some(body) => {
                assert_eq!(posted.json(), *body, "{path}");
                assert_eq!(posted.header("content-type"), Some("application/json"));
            }
            None => assert!(posted.body.is_empty(), "{path} has a body"),
        }
        assert_eq!(posted.header("authorization"), None);
    }

    fn check_outcome(&self, outcome: Result<Value, Error>) {
        let answer: Value = serde_json::from_str(&self.answer).unwrap_or_default();
        let code = answer["error"]["code"].as_str();
        let wanted = self.status;
        match outcome {
            Ok(value) if self.path.starts_with("/api/usertoken/") => {
                assert_eq!(value, answer, "{self:?}");
                assert!(wanted == 200 || (wanted == 404 && value.is_null()), "{self:?}");
            }
            Ok(value) => {
                assert!((200..300).contains(&wanted), "{wanted} is no success: {self:?}");
                match &self.bytes {
                    Some(bytes) => assert_eq!(value, file(&self.content_type, bytes), "{self:?}"),
                    None => assert!(value.is_null() || value == answer, "{value}: {self:?}"),
                }
            }
            Err(Error::Gone { code: got, .. }) => {
                assert_eq!((wanted, got.as_deref()), (404, code), "{self:?}");
                assert!(!self.path.starts_with("/api/usertoken/"), "no token is no error");
            }
            Err(Error::Refused { status, code: got, .. }) => {
                assert_eq!((status, got.as_deref()), (Some(wanted), code), "{self:?}");
                assert!(matches!(wanted, 400 | 403 | 501), "{self:?}");
            }
            Err(error) => panic!("{error}: {self:?}"),
        }
    }

    /// The call that makes the request, and its value as JSON; `null` where the answer may be
    /// anything.
    async fn call(&self, service: &Service) -> Result<Value, Error> {
        let (segments, query) = parts(&self.path);
        let parameter = |name: &str| {
            query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match (self.method.as_str(), segments.as_slice()) {
            ("POST", ["v3", "conversations"]) => {
                service.create_conversation(&self.read()).await.map(value)
            }
            ("GET", ["v3", "conversations"]) => {
                service.paged_conversations(parameter("continuationToken")).await.map(value)
            }
            ("POST", ["v3", "conversations", c, "activities"]) => {
                service.send(c, &self.activity()).await.map(given)
            }
            ("POST", ["v3", "conversations", c, "activities", "history"]) => {
                service.send_history(c, &self.read()).await.map(given)
            }
            ("POST", ["v3", "conversations", c, "activities", id]) => {
                service.reply(c, id, &self.activity()).await.map(given)
            }
            ("PUT", ["v3", "conversations", c, "activities", id]) => {
                service.update(c, id, &self.activity()).await.map(given)
            }
            ("DELETE", ["v3", "conversations", c, "activities", id]) => {
                service.delete(c, id).await.map(value)
            }
            ("GET", ["v3", "conversations", c, "activities", id, "members"]) => {
                service.activity_members(c, id).await.map(value)
            }
            ("GET", ["v3", "conversations", c, "members"]) => service.members(c).await.map(value),
            ("GET", ["v3", "conversations", c, "members", id]) => {
                service.member(c, id).await.map(value)
            }
            ("DELETE", ["v3", "conversations", c, "members", id]) => {
                service.delete_member(c, id).await.map(value)
            }
            ("GET", ["v3", "conversations", c, "pagedmembers"]) => {
                let size = parameter("pageSize").map(|size| size.parse().unwrap());
                let page = service.paged_members(c, size, parameter("continuationToken")).await;
                page.map(value)
            }
            ("POST", ["v3", "conversations", c, "attachments"]) => {
                service.upload(c, &self.read()).await.map(|id| json!({ "id": id }))
            }
            ("GET", ["v3", "attachments", id]) => service.attachment(id).await.map(value),
            ("GET", ["v3", "attachments", id, "views", view]) => {
                let content = service.attachment_content(id, view, 1 << 20).await?;
                Ok(file(&content.content_type.unwrap_or_default(), &content.bytes))
            }
            ("GET", ["api", "usertoken", "GetToken"]) => {
                let [user, connection] =
                    ["userId", "connectionName"].map(|name| parameter(name).unwrap());
                let token = service.user_token(user, connection, None, parameter("code")).await;
                token.map(value)
            }
            _ => panic!("no call makes this request: {} {}", self.method, self.path),
        }
    }

    fn read<T: DeserializeOwned>(&self) -> T {
        serde_json::from_str(&self.body.as_ref().unwrap().to_string()).unwrap()
    }

    fn activity(&self) -> Activity {
        Activity::from_json(self.body.as_ref().unwrap().to_string().as_bytes()).unwrap()
    }
}

/// The segments of a path and the parameters of its query, both without escapes.
pub(super) fn parts(path: &str) -> (Vec<String>, Vec<(String, String)>) {
    let url = Url::parse("http://localhost").unwrap().join(path).unwrap();
    let segments = url.path_segments().unwrap().map(unescape).collect();
    (segments, url.query_pairs().into_owned().collect())
}

fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let code = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(str::from_utf8(&code).unwrap(), 16).unwrap()
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

fn value<T: Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap()
}

fn given(id: Option<String>) -> Value {
    id.map_or(Value::Null, |id| json!({ "id": id }))
}

fn file(content_type: &str, bytes: &[u8]) -> Value {
    json!({ "contentType": content_type, "bytes": bytes })
}
