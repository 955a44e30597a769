//! `countersign completions`

use crate::{args::Args, exit::Exit, output};
use clap::CommandFactory;
use clap_complete::Shell;

/// Which shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For bash, in ~/.bashrc:   source <(countersign completions bash)
For zsh, in ~/.zshrc:     source <(countersign completions zsh)
For fish:                 countersign completions fish > ~/.config/fish/completions/countersign.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(wish: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(wish.shell, &mut Args::command(), "countersign", &mut script);
    output::say(String::from_utf8_lossy(&script).trim_end());
    Exit::DONE
}
