//! `countersign man`

use crate::{args::Args, exit::Exit, output};
use anyhow::Context;
use clap::CommandFactory;
use clap_mangen::Man as Page;
use std::path::{Path, PathBuf};

/// Where the pages go.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
To read it:     countersign man | man -l -
To install it:  countersign man --out /usr/local/share/man/man1")]
pub(crate) struct Man {
    /// Write one page for each command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn man(wish: &Man) -> anyhow::Result<Exit> {
    let mut command = Args::command();
    command.build();
    let Some(folder) = &wish.out else {
        output::say(String::from_utf8_lossy(&render(command)?).trim_end());
        return Ok(Exit::DONE);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        write(folder, &format!("countersign-{}", sub.get_name()), sub.clone())?;
    }
    write(folder, "countersign", command)?;
    Ok(Exit::DONE)
}

fn write(folder: &Path, name: &str, command: clap::Command) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, render(command)?).with_context(|| format!("{} cannot be written", path.display()))
}

fn render(command: clap::Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Page::new(command)
        .manual("Countersign")
        .source(concat!("Countersign ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok(page)
}
