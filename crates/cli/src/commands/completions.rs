//! `countersign completions`

use clap_complete::Shell;
use countersign_console::{CommandExit, print_line};

/// Options of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For bash, in ~/.bashrc:   source <(countersign completions bash)
For zsh, in ~/.zshrc:     source <(countersign completions zsh)
For fish:                 countersign completions fish > ~/.config/fish/completions/countersign.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn print_completions(args: &CompletionsArgs, mut command: clap::Command) -> CommandExit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "countersign", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end());
    CommandExit::DONE
}
