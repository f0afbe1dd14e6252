//! One heat: every topping sent at once to a new conversation, then waiting until each is settled.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use sayso::{
    pizza::Order,
    turn::{Key, document::Document, store::Store},
};
use serde_json::json;
use tokio::{
    task::JoinSet,
    time::{interval, sleep},
};

use super::{
    board::Board,
    instance::{Counts, Instance},
    sink::{Reply, Sink},
    toppings,
    verdict::Verdict,
};

/// Time limit of a heat, until every topping is confirmed or failed.
const HEAT_MAX: Duration = Duration::from_secs(30);

/// Interval between redraws of the board while a heat runs.
const FRAME: Duration = Duration::from_millis(16);

/// The channel that the race plays.
const CHANNEL: &str = "race";

/// Result of a heat.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) board: Board,
    pub(super) verdict: Verdict,
    pub(super) counts: Counts,
    /// Until the last sender had its answer: everything is durable.
    pub(super) saved: Duration,
    /// Until the last customer had a confirmation, too.
    pub(super) wall: Duration,
}

/// A heat that is ready to start.
pub(super) struct Heat<'a> {
    instances: &'a [Instance],
    store: &'a dyn Store,
    client: reqwest::Client,
    key: Key,
    conversation: String,
    board: Board,
}

impl<'a> Heat<'a> {
    pub(super) fn new(
        instances: &'a [Instance],
        store: &'a dyn Store,
        count: u16,
    ) -> anyhow::Result<Self> {
        let conversation = format!("pizza-{:016x}", fastrand::u64(..));
        Ok(Self {
            instances,
            store,
            client: reqwest::Client::builder().no_proxy().timeout(HEAT_MAX).build()?,
            key: Key::conversation(CHANNEL, &conversation)?,
            conversation,
            board: Board::new(toppings::names(usize::from(count))),
        })
    }

    /// Runs it. With `show` the board is shown while it runs, and once more in the end.
    pub(super) async fn run(
        mut self,
        sink: &mut Sink,
        mut show: Option<impl FnMut(&Board)>,
    ) -> anyhow::Result<Outcome> {
        let before = self.counts().await?;
        let places = self.places();
        let began = Instant::now();
        let mut saved = Duration::ZERO;
        let mut senders = self.send(&sink.url);
        let mut frame = interval(FRAME);
        let end = sleep(HEAT_MAX);
        tokio::pin!(end);
        while !self.board.is_settled() {
            tokio::select! {
                Some(Ok((index, answer))) = senders.join_next() => {
                    if let Some(cell) = self.board.cells.get_mut(index) {
                        cell.answer = Some(answer);
                    }
                    saved = began.elapsed();
                }
                Some(reply) = sink.next() => self.take(&places, reply),
                _ = frame.tick(), if show.is_some() => {
                    let pizza = self.pizza().await?;
                    self.board.look(&pizza);
                    if let Some(show) = &mut show {
                        show(&self.board);
                    }
                }
                () = &mut end => break,
            }
        }
        let wall = began.elapsed();
        let pizza = self.pizza().await?;
        self.board.look(&pizza);
        let counts = self.counts().await?.since(before);
        let verdict = Verdict::new(&self.board, &pizza);
        Ok(Outcome { board: self.board, verdict, counts, saved, wall })
    }

    /// Sends every topping, to one process and the other in turn, without waiting for any.
    fn send(&self, sink_url: &str) -> JoinSet<(usize, Result<(), String>)> {
        let mut senders = JoinSet::new();
        let instances = self.instances.iter().cycle();
        for ((index, cell), instance) in self.board.cells.iter().enumerate().zip(instances) {
            let activity = json!({
                "type": "message", "id": self.id(index), "text": cell.name,
                "channelId": CHANNEL, "serviceUrl": sink_url,
                "conversation": {"id": self.conversation},
                "from": {"id": format!("customer-{index}")}, "recipient": {"id": "pizza"},
            });
            let request =
                self.client.post(format!("{}/api/messages", instance.url)).json(&activity);
            senders.spawn(async move { (index, post(request).await) });
        }
        senders
    }

    /// Takes note of a reply.
    fn take(&mut self, places: &BTreeMap<String, usize>, reply: Reply) {
        let cell = places.get(&reply.to).and_then(|index| self.board.cells.get_mut(*index));
        match cell {
            Some(cell) => cell.hear(reply.text),
            None => tracing::warn!("a reply to something else arrived"),
        }
    }

    fn id(&self, index: usize) -> String {
        format!("{}-{index}", self.conversation)
    }

    /// Index from the id of an activity to its cell on the board.
    fn places(&self) -> BTreeMap<String, usize> {
        (0..self.board.cells.len()).map(|index| (self.id(index), index)).collect()
    }

    /// Loads the toppings that are stored now.
    async fn pizza(&self) -> anyhow::Result<Vec<String>> {
        let Some(stored) = self.store.load(&self.key).await? else { return Ok(Vec::new()) };
        let bag = Document::parse(&self.key, &stored.body)?.bag;
        Ok(bag.get::<Order>("Order")?.unwrap_or_default().toppings)
    }

    /// Sums the counters of both processes.
    async fn counts(&self) -> anyhow::Result<Counts> {
        let mut sum = Counts::default();
        for instance in self.instances {
            sum = sum.and(instance.counts(&self.client).await?);
        }
        Ok(sum)
    }
}

async fn post(request: reqwest::RequestBuilder) -> Result<(), String> {
    let answer = request.send().await.map_err(|error| error.without_url().to_string())?;
    if answer.status().is_success() {
        return Ok(());
    }
    let status = answer.status();
    Err(format!("{status}: {}", answer.text().await.unwrap_or_default()))
}
