//! Coverage of the protocol's own definitions, if they are at hand.
//!
//! Each property of each type that we have is a field or is kept, and those that are only kept are
//! listed here.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sayso_activity::{
    Account, Activities, Activity, AnimationCard, Attachment, AttachmentData, AttachmentInfo,
    AudioCard, CardAction, CardImage, ConversationAccount, ConversationParameters,
    ConversationResource, DeliveryMode, ErrorDetail, ErrorResponse, Extra, Fact, GeoCoordinates,
    HeroCard, Kind, MediaUrl, Mention, OAuthCard, PagedMembers, Place, Reaction, ReceiptCard,
    ReceiptItem, Reference, Resource, SigninCard, SuggestedActions, Thing, ThumbnailCard,
    ThumbnailUrl, TokenExchangeRequest, TokenExchangeResource, TokenExchangeResponse,
    TokenResponse, VideoCard,
};
use serde_json::{Value, json};

use crate::tree::tree;

/// Members of an activity that have no field; `accessors.rs` reads those that bots ask for.
const KEPT: [&str; 13] = [
    "action",
    "attachmentLayout",
    "callerId",
    "expiration",
    "historyDisclosed",
    "importance",
    "listenFor",
    "reactionsAdded",
    "reactionsRemoved",
    "semanticAction",
    "summary",
    "textHighlights",
    "topicName",
];

/// Reads a text as a type of ours; gives it written again, and the names that have no field.
type Read = fn(&str) -> (String, Vec<String>);

macro_rules! types {
    ($( $name:literal => $Type:ty, )*) => {
        &[$( ($name, |text| {
            let record: $Type = serde_json::from_str(text).unwrap_or_else(|e| panic!("{}: {e}", $name));
            let names = |extra: &Extra| extra.iter().map(|(name, _)| name.to_owned()).collect();
            (serde_json::to_string(&record).unwrap(), names(&record.extra))
        }), )*]
    };
}

const TYPES: &[(&str, Read)] = types! {
    "Activity" => Activity,
    "AnimationCard" => AnimationCard,
    "Attachment" => Attachment,
    "AttachmentData" => AttachmentData,
    "AttachmentInfo" => AttachmentInfo,
    "AudioCard" => AudioCard,
    "CardAction" => CardAction,
    "CardImage" => CardImage,
    "ChannelAccount" => Account,
    "ConversationAccount" => ConversationAccount,
    "ConversationParameters" => ConversationParameters,
    "ConversationReference" => Reference,
    "ConversationResourceResponse" => ConversationResource,
    "Error" => ErrorDetail,
    "ErrorResponse" => ErrorResponse,
    "ExpectedReplies" => Activities,
    "Fact" => Fact,
    "GeoCoordinates" => GeoCoordinates,
    "HeroCard" => HeroCard,
    "MediaUrl" => MediaUrl,
    "Mention" => Mention,
    "MessageReaction" => Reaction,
    "OAuthCard" => OAuthCard,
    "PagedMembersResult" => PagedMembers,
    "Place" => Place,
    "ReceiptCard" => ReceiptCard,
    "ReceiptItem" => ReceiptItem,
    "ResourceResponse" => Resource,
    "SigninCard" => SigninCard,
    "SuggestedActions" => SuggestedActions,
    "Thing" => Thing,
    "ThumbnailCard" => ThumbnailCard,
    "ThumbnailUrl" => ThumbnailUrl,
    "TokenExchangeInvokeRequest" => TokenExchangeRequest,
    "TokenExchangeInvokeResponse" => TokenExchangeResponse,
    "TokenExchangeResource" => TokenExchangeResource,
    "TokenResponse" => TokenResponse,
    "Transcript" => Activities,
    "VideoCard" => VideoCard,
};

/// Definitions that are parts of what we keep as JSON, or that no bot sends or gets.
const WITHOUT: [&str; 10] = [
    "AttachmentView",
    "BasicCard",
    "ConversationMembers",
    "ConversationsResult",
    "Entity",
    "InnerHttpError",
    "MediaCard",
    "MediaEventValue",
    "SemanticAction",
    "TextHighlight",
];

fn definitions() -> Option<BTreeMap<String, Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = root.join("../shared/specs/protocol/botframework-channel.json");
    let text = fs::read_to_string(file).ok()?;
    let mut document: Value = serde_json::from_str(&text).unwrap();
    Some(serde_json::from_value(document["definitions"].take()).unwrap())
}

/// A value of a schema, with every property set down to a depth.
fn sample(definitions: &BTreeMap<String, Value>, schema: &Value, depth: usize) -> Option<Value> {
    if let Some(path) = schema["$ref"].as_str() {
        let name = path.rsplit('/').next().unwrap();
        return sample(definitions, &definitions[name], depth);
    }
    if let Some(words) = schema["enum"].as_array() {
        return Some(words[0].clone());
    }
    let properties = schema["properties"].as_object();
    Some(match schema["type"].as_str() {
        Some("string") => json!("so"),
        Some("boolean") => json!(true),
        Some("integer") => json!(7),
        Some("number") => json!(7.5),
        Some("array") => json!([sample(definitions, &schema["items"], depth.checked_sub(1)?)?]),
        _ if properties.is_none() => json!({ "any": [1, null] }),
        _ => {
            let depth = depth.checked_sub(1)?;
            let values = properties.unwrap().iter().filter_map(|(name, schema)| {
                Some((name.clone(), sample(definitions, schema, depth)?))
            });
            Value::Object(values.collect())
        }
    })
}

#[test]
fn every_property_of_the_protocol_is_known_or_kept() {
    let Some(definitions) = definitions() else { return };
    for (name, read) in TYPES {
        let schema = &definitions[*name];
        let value = sample(&definitions, schema, 6).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(value.as_object().unwrap().len(), properties.len(), "{name}: all are set");
        let text = value.to_string();
        let (written, mut kept) = read(&text);
        assert_eq!(tree(&written), tree(&text), "{name}");
        kept.sort();
        let expected: &[&str] = if *name == "Activity" { &KEPT } else { &[] };
        assert_eq!(kept, expected, "{name}: members without a field");
    }
}

#[test]
fn every_definition_is_a_type_or_is_left_out_on_purpose() {
    let Some(definitions) = definitions() else { return };
    let is_record =
        |schema: &Value| schema["properties"].as_object().is_some_and(|p| !p.is_empty());
    let known = TYPES.iter().map(|(name, _)| *name).chain(WITHOUT);
    assert!(known.clone().all(|name| is_record(&definitions[name])));
    let mut records: Vec<&str> = definitions
        .iter()
        .filter(|(_, schema)| is_record(schema))
        .map(|(name, _)| name.as_str())
        .collect();
    records.retain(|name| !known.clone().any(|known| known == *name));
    assert!(records.is_empty(), "neither known nor left out: {records:?}");
}

#[test]
fn every_activity_type_of_the_protocol_has_a_name() {
    let Some(definitions) = definitions() else { return };
    let types = definitions["ActivityTypes"]["enum"].as_array().unwrap();
    assert!(types.len() >= 15);
    for name in types {
        let kind = Kind::from(name.as_str().unwrap());
        assert!(!matches!(kind, Kind::Other(_)), "{name}");
    }
}

#[test]
fn every_delivery_mode_of_the_protocol_has_a_name() {
    let Some(definitions) = definitions() else { return };
    let modes = definitions["DeliveryModes"]["enum"].as_array().unwrap();
    assert!(modes.len() >= 4);
    for name in modes {
        let mode = DeliveryMode::from(name.as_str().unwrap());
        assert!(!matches!(mode, DeliveryMode::Other(_)), "{name}");
    }
}
