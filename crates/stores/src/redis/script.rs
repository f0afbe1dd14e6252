//! The scripts that run inside the server, where nothing comes between the condition and the write.

use redis::{Cmd, Script, ServerErrorKind, ToRedisArgs, Value};

use super::{failure::Failure, link::Link, names::Shard};

pub(super) struct Scripts {
    pub(super) save: Program,
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
            delete: Program::new(include_str!("delete.lua")),
            due: Program::new(include_str!("due.lua")),
        }
    }
}

impl Program {
    fn new(code: &'static str) -> Self {
        Self { code, digest: Script::new(code).get_hash().to_owned() }
    }

    /// Runs the script by its digest. A server that does not know it (yet, or after a restart) has done
    /// nothing and gets the whole text.
    pub(super) async fn run<K: ToRedisArgs + Sync, A: ToRedisArgs + Sync>(
        &self,
        link: &Link,
        shard: Shard,
        keys: &[K],
        arguments: &[A],
    ) -> Result<Value, Failure> {
        let by_digest = command("EVALSHA", &self.digest, keys, arguments);
        match link.call(shard, &by_digest).await {
            Err(failure) if failure.is(ServerErrorKind::NoScript) => {
                link.call(shard, &command("EVAL", self.code, keys, arguments)).await
            }
            answer => answer,
        }
    }
}

fn command<K: ToRedisArgs, A: ToRedisArgs>(
    name: &str,
    script: &str,
    keys: &[K],
    arguments: &[A],
) -> Cmd {
    let mut command = redis::cmd(name);
    let _command = command.arg(script).arg(keys.len()).arg(keys).arg(arguments);
    command
}
