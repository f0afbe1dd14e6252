//! Exit codes of the subcommands.

use std::process::ExitCode;

/// Exit code: 0 if all is well, else 1.
pub(super) fn code(is_well: bool) -> ExitCode {
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
