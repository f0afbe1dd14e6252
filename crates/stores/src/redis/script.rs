//! The scripts that run inside the server, where nothing comes between the condition and the write.

use redis::{Cmd, Script, ServerErrorKind, Value};

use super::{failure::Failure, link::Link, names::Shard};

pub(super) struct Scripts {
    pub(super) save: Program,
    pub(super) save_many: Program,
    pub(super) save_all: Program,
    pub(super) delete: Program,
    pub(super) due: Program,
}

pub(super) struct Program {
    code: &'static str,
    digest: String,
}

impl Scripts {
    pub(super) fn new() -> Self {
        Self {
            save: Program::new(include_str!("save.lua")),
            save_many: Program::new(include_str!("save_many.lua")),
            save_all: Program::new(include_str!("save_all.lua")),
            delete: Program::new(include_str!("delete.lua")),
            due: Program::new(include_str!("due.lua")),
        }
    }
}

impl Program {
    fn new(code: &'static str) -> Self {
        Self { code, digest: Script::new(code).get_hash().to_owned() }
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
        match link.call(shard, &command("EVALSHA", &self.digest)).await {
            Err(failure) if failure.is(ServerErrorKind::NoScript) => {
                link.call(shard, &command("EVAL", self.code)).await
            }
            answer => answer,
        }
    }
}
