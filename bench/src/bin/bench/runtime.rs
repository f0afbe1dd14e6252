//! The runtimes that are measured, and how the programs of each are started.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};

/// A measured bot runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    Sayso,
    JavaScript,
    Agents,
    Python,
}

impl Runtime {
    pub(crate) const ALL: [Self; 4] = [Self::Sayso, Self::JavaScript, Self::Agents, Self::Python];

    /// The name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sayso => "sayso",
            Self::JavaScript => "js",
            Self::Agents => "agents",
            Self::Python => "py",
        }
    }

    /// The name for people.
    pub(crate) fn title(name: &str) -> &str {
        match name {
            "sayso" => "Sayso",
            "js" => "Bot Framework JavaScript",
            "agents" => "Agents SDK JavaScript",
            "py" => "Bot Framework Python",
            other => other,
        }
    }

    /// Returns `true` if its program can keep state in Azurite.
    pub(crate) fn has_blob(self) -> bool {
        self != Self::Agents
    }
}

/// Paths of the programs of all runtimes.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The folder of the other runtimes' programs.
    peers: Option<PathBuf>,
    /// Our own program.
    own: PathBuf,
}

impl Programs {
    /// Finds our own program beside this one, and the others' in a folder if there is one.
    pub(crate) fn find(peers: Option<&Path>) -> anyhow::Result<Self> {
        let own = env::current_exe()?.with_file_name("sayso-peer");
        if !own.exists() {
            bail!("{} is missing; scripts/bench builds it", own.display());
        }
        let peers = peers.map(Path::canonicalize).transpose().context("the folder of the peers")?;
        Ok(Self { peers, own })
    }

    pub(crate) fn own(&self) -> &Path {
        &self.own
    }

    /// The runtimes that are installed, and a sentence for each that is not.
    pub(crate) fn installed(&self) -> (Vec<Runtime>, Vec<String>) {
        let (mut installed, mut missing) = (Vec::new(), Vec::new());
        for runtime in Runtime::ALL {
            match self.lacks(runtime) {
                None => installed.push(runtime),
                Some(why) => missing.push(why),
            }
        }
        (installed, missing)
    }

    fn lacks(&self, runtime: Runtime) -> Option<String> {
        let (folder, wanted, remedy) = match runtime {
            Runtime::Sayso => return None,
            Runtime::JavaScript => ("js", "js/node_modules/botbuilder", "npm i in its folder js"),
            Runtime::Agents => (
                "agents-js",
                "agents-js/node_modules/@microsoft/agents-hosting",
                "npm i in its folder agents-js",
            ),
            Runtime::Python => (
                "py",
                "venv/bin/python",
                "python3 -m venv venv && venv/bin/pip install -r py/requirements.txt",
            ),
        };
        let title = Runtime::title(runtime.name());
        let Some(peers) = &self.peers else {
            return Some(format!("{title} is left out: no folder of peers (--peers DIR)"));
        };
        if !peers.join(folder).is_dir() {
            return Some(format!("{title} is left out: {} has no {folder}", peers.display()));
        }
        let path = peers.join(wanted);
        let lacks = || format!("{title} is left out: {} is missing; {remedy}", path.display());
        (!path.exists()).then(lacks)
    }

    /// The bot as a server. The variables that all of them read are set by the caller.
    pub(crate) fn server(&self, runtime: Runtime) -> anyhow::Result<Command> {
        self.program(runtime, "serve", "server")
    }

    /// The program that runs turns without HTTP; the caller adds the arguments `PATTERN LOGIC STORE
    /// CONVERSATIONS RUNS`.
    pub(crate) fn in_process(&self, runtime: Runtime) -> anyhow::Result<Command> {
        self.program(runtime, "inproc", "inproc")
    }

    fn program(&self, runtime: Runtime, own: &str, peer: &str) -> anyhow::Result<Command> {
        if runtime == Runtime::Sayso {
            let mut command = Command::new(&self.own);
            // With backtraces Azure's client takes one for every answer that is an error, 404
            // included.
            command.arg(own).env_remove("RUST_BACKTRACE").env_remove("RUST_LIB_BACKTRACE");
            return Ok(command);
        }
        let peers = self.peers.as_deref().context("there is no folder of peers")?;
        let node = |folder: &str| {
            let folder = peers.join(folder);
            let mut command = Command::new("node");
            command.env("NODE_PATH", folder.join("node_modules"));
            command.arg(folder.join(peer).with_extension("js"));
            command
        };
        Ok(match runtime {
            Runtime::Sayso => bail!("our own program was started above"),
            Runtime::JavaScript => node("js"),
            Runtime::Agents => node("agents-js"),
            Runtime::Python => {
                let mut command = Command::new(peers.join("venv/bin/python"));
                command.arg(peers.join("py").join(peer).with_extension("py"));
                command
            }
        })
    }
}
