//! Inputs from users and operators: activities, and proactive turns.

use sayso_activity::{Account, Activity, ConversationAccount, DeliveryMode, Kind, Reference};
use sayso_turn::{Key, KeyScope, Overlap, id::TurnId};

use crate::{
    Fault,
    bot::{self, Later, OwnTtl, Pair, Policy, Wish},
    tenancy::{self, Place},
    world::World,
};

/// The channel of all conversations.
const CHANNEL: &str = "sim";
/// The channel of all conversations where replies are streamed.
const STREAMING_CHANNEL: &str = "webchat";

/// Duration of a turn of a hot conversation: shorter than a rest.
const HOT_MS: u64 = 3;

/// One input of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) key: Key,
    /// Number of the bot that it is said to.
    pub(crate) bot: usize,
    /// Scope of all documents of its turn.
    pub(crate) scope: KeyScope<'static>,
    pub(crate) activity: Activity,
    pub(crate) wish: Wish,
    pub(crate) is_answer: bool,
    pub(crate) way: Way,
}

/// Route of an input to the bot.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// As an activity from the channel.
    Receive,
    /// As a turn in one conversation that nobody's activity causes.
    Resume,
    /// As one of those in each of these conversations.
    Broadcast(Vec<Reference>),
    /// With the broadcast before it.
    Along,
}

impl Said {
    /// Draws the n-th activity of a run: one input, or the same in each conversation for a
    /// broadcast.
    pub(crate) fn draw(world: &World, n: usize) -> Vec<Self> {
        let (plan, chance) = (&world.plan, &world.chance);
        let conversation =
            if plan.has(Fault::Crowd) { n } else { chance.below(plan.conversations) };
        let place = Place::new(plan, conversation);
        if plan.has(Fault::Crowd) {
            let wish = Wish { replies: 1, ..Wish::default() };
            return vec![Self::new(world, n, &place, Activity::message(""), wish, false)];
        }
        if plan.has(Fault::Hot) {
            let wish = Wish { slow_ms: Some(HOT_MS), ..Wish::default() };
            return vec![Self::new(world, n, &place, Activity::message(""), wish, false)];
        }
        let activity = match chance.below(if plan.has(Fault::Bulk) { 2 } else { 6 }) {
            0 => Activity { name: Some("append".into()), ..Activity::new(Kind::Invoke) },
            1 if !plan.has(Fault::Bulk) => Activity::event("append"),
            _ => Activity::message(""),
        };
        let is_answer = activity.kind == Kind::Message && chance.one_in(4);
        let is_merged = plan.overlap == Overlap::Coalesce && activity.kind == Kind::Message;
        let is_told = chance.fires(Fault::Resume);
        let is_broadcast = !is_told && chance.fires(Fault::Broadcast);
        let mut wish = draw_wish(world, n);
        if is_answer || activity.kind == Kind::Invoke || is_told || is_broadcast {
            // Its sender waits for what the turn makes, so it has to end in time.
            wish.slow_ms = None;
        }
        if is_told || is_broadcast {
            // Its handler cannot be stored, so it takes none.
            wish.steps = 0;
        }
        if is_merged || is_told || is_broadcast {
            // What becomes one turn fails together; and nobody is told that a proactive turn
            // failed.
            (wish.panic, wish.oversized) = (false, false);
        }
        // A turn that changes what it says itself says it changed.
        wish.change &= !is_merged;
        if is_broadcast {
            // The same id in every conversation would be in the user's log more than once.
            wish.leave_the_user_alone();
        }
        let said = |place: &Place, way| {
            let is_answer = is_answer && matches!(way, Way::Receive);
            let activity = activity.clone();
            Self { way, ..Self::new(world, n, place, activity, wish.clone(), is_answer) }
        };
        if is_told {
            return vec![said(&place, Way::Resume)];
        }
        if !is_broadcast {
            return vec![said(&place, Way::Receive)];
        }
        let places = (0..plan.conversations).map(|n| Place::new(plan, n));
        let own = places.filter(|other| other.bot == place.bot);
        let mut all: Vec<Self> = own.map(|place| said(&place, Way::Along)).collect();
        let everybody = all.iter().map(Self::reference).collect();
        if let Some(first) = all.first_mut() {
            first.way = Way::Broadcast(everybody);
        }
        all
    }

    /// A message to the bot of an author, for `simulate`.
    pub(crate) fn text(world: &World, n: usize, user: usize, text: &str) -> Self {
        let name = user_name(user);
        let activity = Activity::message(text);
        let mut said = Self::new(world, n, &Place::named(&name), activity, Wish::default(), false);
        // A name that reads well in a time line.
        said.id = format!("{text}#{n}");
        said.activity.id = Some(said.id.clone());
        said.activity.value = None;
        said.activity.text = Some(text.to_owned());
        said.activity.from = Some(Account::new(name));
        said
    }

    pub(crate) fn new(
        world: &World,
        n: usize,
        place: &Place,
        activity: Activity,
        mut wish: Wish,
        is_answer: bool,
    ) -> Self {
        let id = format!("a{n}");
        let channel = channel(world);
        wish.name(&id);
        let mut activity = match activity.kind {
            // In the text, so that those that become one turn keep all of them.
            Kind::Message => Activity {
                text: Some(serde_json::to_string(&wish).expect("a wish is JSON")),
                ..activity
            },
            _ => activity.with_value(&wish).expect("a wish is JSON"),
        };
        activity.id = Some(id.clone());
        activity.channel_id = Some(channel.to_owned());
        activity.service_url = Some("http://sim/".to_owned());
        activity.conversation = Some(ConversationAccount::new(&place.conversation));
        activity.from = Some(Account::new(speaker(world, n, &wish)));
        activity.recipient = Some(Account::new("bot"));
        activity.delivery_mode = is_answer.then_some(DeliveryMode::ExpectReplies);
        place.name_tenant(world, &mut activity);
        let scope = tenancy::keys(&world.plan, place.bot).scope_of(&activity);
        let key = scope.conversation(channel, &place.conversation).expect("a short key");
        let (bot, way) = (place.bot, Way::Receive);
        Self { id, key, bot, scope, activity, wish, is_answer, way }
    }

    /// The reference of its conversation, as a turn of it gives it.
    pub(crate) fn reference(&self) -> Reference {
        let mut reference = self.activity.reference();
        if let (Some(conversation), Some(tenant)) =
            (&mut reference.conversation, self.activity.tenant_id())
        {
            conversation.tenant_id = Some(tenant.into_owned());
        }
        reference
    }

    /// The key of the state of whoever says it.
    pub(crate) fn user_key(&self) -> Option<Key> {
        let channel = self.activity.channel_id.as_deref()?;
        let from = self.activity.from.as_ref()?.id.as_deref()?;
        self.scope.user(channel, from).ok()
    }

    /// The engine's id of its turn.
    pub(crate) fn turn(&self) -> TurnId {
        match self.way {
            Way::Receive => TurnId::new(&self.key, &self.id),
            _ => TurnId::new(&self.key, &format!("sayso:{}", self.id)),
        }
    }
}

/// Name of a user, and of their conversation.
pub(crate) fn user_name(user: usize) -> String {
    format!("user{user}")
}

/// The user who says the n-th activity: one of two in turn, but where the user's state counts.
fn speaker(world: &World, n: usize, wish: &Wish) -> &'static str {
    let is_other = n % 2 == 1
        && world.plan.overlap != Overlap::Coalesce
        && !wish.flat().iter().any(|wish| wish.user);
    if is_other { "v" } else { "u" }
}

/// The channel of a world.
pub(crate) fn channel(world: &World) -> &'static str {
    match (world.plan.has(Fault::Stream), world.plan.has(Fault::Tenants)) {
        (true, _) => STREAMING_CHANNEL,
        (_, true) => tenancy::CHANNEL,
        _ => CHANNEL,
    }
}

impl Wish {
    fn leave_the_user_alone(&mut self) {
        (self.user, self.visit) = (false, false);
        for timer in &mut self.timers {
            timer.wish.leave_the_user_alone();
        }
    }

    /// Gives the wish its name, and each of its timers one that tells where it comes from.
    fn name(&mut self, id: &str) {
        id.clone_into(&mut self.id);
        for (n, timer) in self.timers.iter_mut().enumerate() {
            timer.wish.name(&format!("{id}~{n}"));
        }
    }
}

fn draw_wish(world: &World, n: usize) -> Wish {
    let chance = &world.chance;
    let panic = chance.fires(Fault::Panic);
    let is_bulky = world.plan.has(Fault::Bulk);
    Wish {
        id: format!("a{n}"),
        replies: chance.below(if is_bulky { 2 } else { 3 }),
        panic,
        reset: panic && n.is_multiple_of(2),
        oversized: !panic && chance.fires(Fault::Oversized),
        timers: draw_timers(world),
        cancel: chance.fires(Fault::Cancel).then(|| chance.below(8)),
        user: chance.fires(Fault::Documents),
        pair: draw_pair(world),
        order: world.plan.has(Fault::Builds) && chance.one_in(2),
        calls: draw_calls(world),
        slow_ms: chance.fires(Fault::Long).then(|| 5000 + chance.below(25_000) as u64),
        stream: chance.fires(Fault::Stream),
        bulk: is_bulky,
        change: chance.fires(Fault::Change),
        delete: chance.one_in(4),
        policy: draw_policy(world),
        gives_up: chance.fires(Fault::GivenUp),
        inward: chance.fires(Fault::Inward),
        ttl: draw_ttl(world),
        visit: world.plan.has(Fault::OwnTtl) && chance.one_in(3),
        steps: draw_steps(world, 3),
        ..Wish::default()
    }
}

/// One call most times, and now and then two under one name.
fn draw_calls(world: &World) -> u32 {
    match world.chance.fires(Fault::Once) {
        true => 1 + u32::from(world.chance.one_in(4)),
        false => 0,
    }
}

/// No step most times; else one to so many.
fn draw_steps(world: &World, most: usize) -> u32 {
    match world.chance.fires(Fault::Steps) {
        true => 1 + world.chance.below(most) as u32,
        false => 0,
    }
}

/// Most replies of a world with policies have one of their own.
fn draw_policy(world: &World) -> Option<Policy> {
    let chance = &world.chance;
    let is_chosen = world.plan.has(Fault::Policy) && !chance.one_in(3);
    is_chosen.then(|| {
        chance.tally.add(Fault::Policy);
        let most = if chance.one_in(2) { 5_000 } else { 60_000 };
        let expires_ms = chance.one_in(2).then(|| 500 + chance.below(most) as u64);
        Policy { is_once: chance.one_in(2), expires_ms }
    })
}

/// Every third turn of a world with TTLs of documents sets one.
fn draw_ttl(world: &World) -> Option<OwnTtl> {
    let chance = &world.chance;
    let is_set = world.plan.has(Fault::OwnTtl) && chance.one_in(3);
    is_set.then(|| {
        chance.tally.add(Fault::OwnTtl);
        match chance.below(4) {
            0 => OwnTtl::Never,
            1 => OwnTtl::Default,
            _ => OwnTtl::After(world.plan.own_ttl().as_secs()),
        }
    })
}

fn draw_pair(world: &World) -> Option<Pair> {
    let chance = &world.chance;
    // Where they are used at all they are used often: it takes two.
    let is_used = world.plan.has(Fault::Reads) && chance.one_in(2);
    is_used.then(|| {
        chance.tally.add(Fault::Reads);
        if chance.one_in(2) { Pair::Write } else { Pair::Read }
    })
}

/// No timer most times; else one to three, of which some are cancelled, fail or take long.
fn draw_timers(world: &World) -> Vec<Later> {
    let chance = &world.chance;
    if !chance.fires(Fault::Timer) {
        return Vec::new();
    }
    // So that a conversation never has more of them than it may.
    let count = if world.plan.has(Fault::Burst) { 1 } else { 1 + chance.below(3) };
    let draw = || Later {
        after_ms: chance.below(5000) as u64,
        is_cancelled: chance.fires(Fault::Cancel),
        wish: Wish {
            replies: 1,
            fails: if chance.fires(Fault::FailingTimer) { 1 + chance.below(3) as u32 } else { 0 },
            slow_ms: chance.fires(Fault::SlowTimer).then(|| 1000 + chance.below(6000) as u64),
            cancel: chance.fires(Fault::Cancel).then(|| chance.below(8)),
            calls: draw_calls(world).min(1),
            user: chance.fires(Fault::Documents),
            pair: draw_pair(world),
            policy: draw_policy(world),
            gives_up: chance.fires(Fault::GivenUp),
            steps: draw_steps(world, 2),
            ..Wish::default()
        },
    };
    (0..count).map(|_| draw()).collect()
}

/// Every document that the turns of a run may touch.
pub(crate) fn keys(all: &[Said]) -> Vec<Key> {
    let mut keys: Vec<Key> = all.iter().map(|said| said.key.clone()).collect();
    keys.extend(all.iter().filter_map(Said::user_key));
    for said in all {
        let visits = said.wish.visit.then(bot::visits_key);
        let further = bot::pair_keys().into_iter().chain(visits);
        keys.extend(further.filter_map(|key| said.scope.place(key).ok()));
    }
    keys.sort();
    keys.dedup();
    keys
}
