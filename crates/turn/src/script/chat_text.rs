//! Parser and writer of the `.chat` format: a dialogue as plain lines of text.

mod attachment;
mod markup;

use std::{io, path::Path};

use sayso_activity::{Account, Activity, ConversationAccount, Kind};

use super::{Line, TranscriptError, address::account, line::name};
use markup::{MarkedText, Markup};

/// Channel id of such dialogues.
const CHANNEL: &str = "chatdown";

/// Accounts of a dialogue.
struct Cast {
    users: Vec<Account>,
    bot: Account,
}

/// Speaker of a line.
#[derive(Clone)]
struct Speaker {
    account: Account,
    is_bot: bool,
}

/// Reads a dialogue: its lines, each with its number in the text. Attached files are read if there
/// is a folder to find them in.
pub(super) fn parse(
    text: &str,
    folder: Option<&Path>,
) -> Result<Vec<(usize, Line)>, TranscriptError> {
    let mut cast = Cast { users: Vec::new(), bot: account("bot", "bot") };
    let mut spoken: Vec<(usize, Speaker, String)> = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if spoken.is_empty() && (line.trim().is_empty() || cast.reads_heading(line)) {
            continue;
        }
        match (cast.speaker(line), spoken.last_mut()) {
            (Some((speaker, words)), _) => spoken.push((index + 1, speaker, words.to_owned())),
            (None, Some((_, _, words))) => {
                words.push('\n');
                words.push_str(line);
            }
            (None, None) => return Err(TranscriptError::Line { line: index + 1 }),
        }
    }
    let is_user_there = spoken.first().is_some_and(|(_, speaker, _)| speaker.is_bot);
    let mut lines = Vec::new();
    for (number, speaker, words) in &spoken {
        let mut told = Vec::new();
        cast.tell(speaker, words, folder, &mut told).map_err(|(path, source)| {
            TranscriptError::Attachment { line: *number, path, source }
        })?;
        lines.extend(told.into_iter().map(|line| (*number, line)));
    }
    let opens = |(_, line): &(usize, Line)| line.activity().is_some_and(is_update);
    if !lines.first().is_some_and(opens) {
        let number = spoken.first().map_or(1, |(number, _, _)| *number);
        lines.insert(0, (number, cast.opening(is_user_there)));
    }
    Ok(lines)
}

impl Cast {
    /// Reads the headings `user=name` and `bot=name`. Other headings, which some tools write, are
    /// skipped.
    fn reads_heading(&mut self, line: &str) -> bool {
        let Some((word, value)) = line.split_once('=') else { return false };
        let (word, value) = (word.trim(), value.trim());
        match word.to_ascii_lowercase().as_str() {
            "user" => self.users.push(account(value, "user")),
            "bot" => self.bot = account(value, "bot"),
            other => return other.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
        true
    }

    /// Returns the speaker whose name starts this line, and the words after it.
    fn speaker<'t>(&self, line: &'t str) -> Option<(Speaker, &'t str)> {
        let line = line.trim_start();
        let after = |name: &str| {
            let (start, rest) = line.split_at_checked(name.len())?;
            start.eq_ignore_ascii_case(name).then_some(rest)?.strip_prefix(':')
        };
        let named = |account: &Account, is_bot| {
            let words = after(name(Some(account))?)?;
            Some((Speaker { account: account.clone(), is_bot }, words))
        };
        // The plain names `user` and `bot` always work.
        let plain = |word: &str, account: Account, is_bot| {
            Some((Speaker { account, is_bot }, after(word)?))
        };
        named(&self.bot, true)
            .or_else(|| self.users.iter().find_map(|user| named(user, false)))
            .or_else(|| plain("user", self.user(), false))
            .or_else(|| plain("bot", self.bot.clone(), true))
    }

    /// Returns the first user.
    fn user(&self) -> Account {
        self.users.first().cloned().unwrap_or_else(|| account("user", "user"))
    }

    /// Adds the lines for a speaker's words.
    fn tell(
        &self,
        speaker: &Speaker,
        words: &str,
        folder: Option<&Path>,
        lines: &mut Vec<Line>,
    ) -> Result<(), (String, io::Error)> {
        let MarkedText { text, markup } = markup::read(words);
        let is_message = markup.is_empty() || !text.is_empty();
        let mut message = Activity::message(text);
        for item in markup {
            match item {
                Markup::Attachment(named) => {
                    message = message.with_attachment(named.read(folder)?);
                }
                Markup::Delay(time) => lines.push(Line::Pause(time)),
                Markup::Joins => {
                    lines.push(self.joins(&speaker.account, vec![speaker.account.clone()]));
                }
                Markup::Other(activity) => lines.push(self.line(speaker, *activity)),
            }
        }
        if is_message || message.attachments.is_some() {
            lines.push(self.line(speaker, message));
        }
        Ok(())
    }

    /// Makes the opening line: the bot joins, and the user if they are there.
    fn opening(&self, is_user_there: bool) -> Line {
        let user = is_user_there.then(|| self.user());
        let members = [self.bot.clone()].into_iter().chain(user).collect();
        self.joins(&self.user(), members)
    }

    fn joins(&self, from: &Account, members: Vec<Account>) -> Line {
        let update = Activity::new(Kind::ConversationUpdate);
        let update = Activity { members_added: Some(members), ..update };
        Line::User(Box::new(addressed(from, &self.bot, update)))
    }

    fn line(&self, speaker: &Speaker, activity: Activity) -> Line {
        match speaker.is_bot {
            true => Line::Bot(Box::new(addressed(&self.bot, &self.user(), activity))),
            false => Line::User(Box::new(addressed(&speaker.account, &self.bot, activity))),
        }
    }
}

fn addressed(from: &Account, to: &Account, activity: Activity) -> Activity {
    Activity {
        channel_id: Some(CHANNEL.to_owned()),
        conversation: Some(ConversationAccount::new("conversation")),
        from: Some(from.clone()),
        recipient: Some(to.clone()),
        ..activity
    }
}

fn is_update(activity: &Activity) -> bool {
    activity.kind == Kind::ConversationUpdate
}

pub(super) fn write(lines: &[Line]) -> String {
    let names = |is_bot: bool| {
        let mut names: Vec<&str> = Vec::new();
        for line in lines {
            let is_theirs = matches!(line, Line::Bot(_)) == is_bot && line.activity().is_some();
            if is_theirs && !names.contains(&line.who()) {
                names.push(line.who());
            }
        }
        names
    };
    let (mut users, mut bots) = (names(false), names(true));
    if users.is_empty() {
        users.push("user");
    }
    bots.truncate(1);
    if bots.is_empty() {
        bots.push("bot");
    }
    let mut text = String::new();
    for (word, names) in [("user", &users), ("bot", &bots)] {
        names.iter().for_each(|name| text = format!("{text}{word}={name}\n"));
    }
    text.push('\n');
    let first = users.first().copied().unwrap_or("user");
    for (index, line) in lines.iter().enumerate() {
        let who = if line.who().is_empty() { first } else { line.who() };
        // The opening line, in which the bot joins, is implied.
        let is_opening = index == 0 && line.activity().is_some_and(is_bots_own);
        if let (Some(words), false) = (markup::write(line), is_opening) {
            text = format!("{text}{who}: {words}\n");
        }
    }
    text
}

/// Reports whether nobody joins but the bot itself.
fn is_bots_own(activity: &Activity) -> bool {
    let bot = activity.recipient.as_ref().and_then(|bot| bot.id.as_deref());
    let mut members = activity.members_added.iter().flatten();
    is_update(activity) && members.all(|member| member.id.as_deref() == bot)
}
