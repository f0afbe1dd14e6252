//! Two bots and two tenants in one store, all with the same ids of conversations and users.

use sayso_activity::Activity;
use sayso_turn::{Key, KeyScheme};
use serde_json::json;

use crate::{Fault, Plan, world::World};

/// Number of bots, and of the tenants of each.
const BOTS: usize = 2;
/// Ids of the tenants: one looks like the scope of another bot.
const TENANTS: [&str; 2] = ["contoso", "contoso/~bot-1~contoso"];

/// Place of a conversation: the bot and the tenant that it belongs to, and its id.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) bot: usize,
    tenant: Option<&'static str>,
    pub(crate) conversation: String,
}

impl Place {
    /// The place of the n-th conversation of a world.
    pub(crate) fn new(plan: &Plan, n: usize) -> Self {
        if !plan.has(Fault::Tenants) {
            return Self { bot: 0, tenant: None, conversation: format!("c{n}") };
        }
        let bots = bots(plan);
        let tenant = TENANTS.get(n / bots % TENANTS.len()).copied();
        let conversation = format!("c{}", n / bots / TENANTS.len());
        Self { bot: n % bots, tenant, conversation }
    }

    /// The one conversation of a world that is called so.
    pub(crate) fn named(conversation: &str) -> Self {
        Self { bot: 0, tenant: None, conversation: conversation.to_owned() }
    }

    /// Names the tenant in an activity: in the conversation, or now and then as Teams does.
    pub(crate) fn name_tenant(&self, world: &World, activity: &mut Activity) {
        let Some(tenant) = self.tenant else { return };
        let is_teams = activity.channel_id.as_deref() == Some(CHANNEL);
        if is_teams && world.chance.one_in(2) {
            let data = sayso_activity::Raw::of(&json!({"team": {}, "tenant": {"id": tenant}}));
            activity.channel_data = data.ok();
        } else if let Some(conversation) = &mut activity.conversation {
            conversation.tenant_id = Some(tenant.to_owned());
        }
    }
}

/// The channel of a world with tenants.
pub(crate) const CHANNEL: &str = "msteams";

fn bots(plan: &Plan) -> usize {
    if plan.has(Fault::Tenants) { BOTS.min(plan.instances) } else { 1 }
}

/// The bot that an instance at a place runs.
pub(crate) fn bot_at(plan: &Plan, place: usize) -> usize {
    place % bots(plan)
}

/// The instance of a bot that is nearest to a place, of so many instances.
pub(crate) fn place_of(plan: &Plan, bot: usize, near: usize, count: usize) -> usize {
    let bots = bots(plan);
    let place = near - near % bots + bot;
    if place < count { place } else { place - bots }
}

/// The scheme of a bot's keys.
pub(crate) fn keys(plan: &Plan, bot: usize) -> KeyScheme {
    match plan.has(Fault::Tenants) {
        true => KeyScheme::default().bot(&format!("bot-{bot}")).by_tenant(true),
        false => KeyScheme::default(),
    }
}

/// Checks that an instance of a bot runs turns of its own conversations only, and writes nothing
/// of another bot's.
pub(crate) fn is_own(world: &World, bot: usize, key: &Key) {
    if world.plan.has(Fault::Tenants) && !keys(&world.plan, bot).owns(key) {
        world.violation(format!("an instance of bot {bot} takes up {key}"));
    }
}
