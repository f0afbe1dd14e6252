//! Reasons for which requests are refused, and the names of their counters.

/// Reason for which a request was refused before it became a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Nothing is configured that would let anybody in.
    NoAuth,
    /// The peer is not on this machine, or not known.
    Peer,
    /// The request came through a proxy.
    Proxy,
    /// The `Host` is another name.
    Host,
    /// A page of another site made it.
    Page,
    /// The token is missing or not valid.
    Token,
    /// The token is not for this activity.
    Forbidden,
    /// The issuer's keys could not be had.
    Keys,
    /// The body is not uncompressed JSON by its headers, is too large, or comes too slowly.
    Body,
    /// The body is not an activity, or has ids that are not allowed.
    Activity,
    /// The service URL is not on the list.
    ServiceUrl,
    /// The rate limit of a peer.
    PeerRate,
    /// The rate limit of a conversation.
    ConversationRate,
}

/// Every reason with the name of its counter, in the order of the enum.
pub(super) const NAMES: [(Refusal, &str); 13] = [
    (Refusal::NoAuth, "refused_no_auth"),
    (Refusal::Peer, "refused_peer"),
    (Refusal::Proxy, "refused_proxy"),
    (Refusal::Host, "refused_host"),
    (Refusal::Page, "refused_page"),
    (Refusal::Token, "refused_token"),
    (Refusal::Forbidden, "refused_forbidden"),
    (Refusal::Keys, "refused_keys"),
    (Refusal::Body, "refused_body"),
    (Refusal::Activity, "refused_activity"),
    (Refusal::ServiceUrl, "refused_service_url"),
    (Refusal::PeerRate, "refused_peer_rate"),
    (Refusal::ConversationRate, "refused_conversation_rate"),
];
