//! Description of the measuring machine: hardware, versions, and the build of our programs.

use std::{fs, path::Path, process::Command};

use serde::{Deserialize, Serialize};

/// Hardware, versions and build options, as the page names them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory_gb: u64,
    pub(crate) system: String,
    pub(crate) rust: String,
    pub(crate) node: String,
    pub(crate) day: String,
    /// The last run was a quick one: a check, not a result.
    pub(crate) is_quick: bool,
    /// Our programs were built with profile-guided optimisation (PGO).
    #[serde(default)]
    pub(crate) is_profiled: bool,
    /// Their code was laid out anew after that, by LLVM's BOLT.
    #[serde(default)]
    pub(crate) is_laid_out: bool,
}

/// Writes `machine.json` beside the results.
pub(crate) fn note(results: &Path, is_quick: bool) -> anyhow::Result<()> {
    let line = |path: &str, name: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let found = text.lines().find(|line| line.starts_with(name));
        found.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let memory = line("/proc/meminfo", "MemTotal").unwrap_or_default();
    let memory = memory.split(' ').next().and_then(|kib| kib.parse::<u64>().ok());
    let machine = Machine {
        processor: line("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_gb: memory.unwrap_or_default().div_ceil(1 << 20),
        // Without what a builder appended to the version.
        system: said("uname", &["-sr"]).split('-').next().unwrap_or_default().to_owned(),
        rust: said("rustc", &["--version"]),
        node: said("node", &["--version"]),
        day: said("date", &["-u", "+%Y-%m-%d"]),
        is_quick,
        is_profiled: option_env!("SAYSO_PROFILED").is_some(),
        is_laid_out: option_env!("SAYSO_PROFILED") == Some("bolt"),
    };
    fs::write(results.join("machine.json"), serde_json::to_string_pretty(&machine)?)?;
    Ok(())
}

/// Reads `machine.json`; `None` if nothing was measured.
pub(crate) fn read(results: &Path) -> Option<Machine> {
    serde_json::from_str(&fs::read_to_string(results.join("machine.json")).ok()?).ok()
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|_| "unknown".to_owned())
}
