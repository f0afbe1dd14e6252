//! The scripts that run inside the server, where nothing comes between the condition and the write.

use redis::{Cmd, Script, ServerErrorKind, Value};

use super::{failure::Failure, link::Link, names::Shard};

pub(super) struct Scripts {
    pub(super) load: Program,
    pub(super) save: Program,
    pub(super) save_many: Program,
    pub(super) save_all: Program,
    pub(super) delete: Program,
    pub(super) due: Program,
}

pub(super) struct Program {
    code: &'static str,
    digest: String,
    /// True if replicas must acknowledge what it wrote, where the URL asks for that.
    is_acked: bool,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            load: Program::new(include_str!("load.lua"), true),
            save: Program::new(include_str!("save.lua"), true),
            save_many: Program::new(include_str!("save_many.lua"), true),
            save_all: Program::new(include_str!("save_all.lua"), true),
            delete: Program::new(include_str!("delete.lua"), true),
            due: Program::new(include_str!("due.lua"), false),
        }
    }
}

impl Program {
    fn new(code: &'static str, is_acked: bool) -> Self {
        Self { code, digest: Script::new(code).get_hash().to_owned(), is_acked }
    }

    /// Runs the script by its digest, with the count of keys, the keys and the arguments that `add`
    /// adds. A server that does not know it (yet, or after a restart) has done nothing and gets the
    /// whole text.
    pub(super) async fn run(
        &self,
        link: &Link,
        shard: Shard,
        add: impl Fn(&mut Cmd) + Send + Sync,
    ) -> Result<Value, Failure> {
        let command = |name: &str, script: &str| {
            let mut command = redis::cmd(name);
            let _command = command.arg(script);
            add(&mut command);
            command
        };
        match self.send(link, shard, command("EVALSHA", &self.digest)).await {
            Err(failure) if failure.is(ServerErrorKind::NoScript) => {
                self.send(link, shard, command("EVAL", self.code)).await
            }
            answer => answer,
        }
    }

    async fn send(&self, link: &Link, shard: Shard, command: Cmd) -> Result<Value, Failure> {
        match self.is_acked {
            true => link.call_acked(shard, &command).await,
            false => link.call(shard, &command).await,
        }
    }
}
