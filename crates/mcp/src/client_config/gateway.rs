//! The gateway before a server, and taken away again.

use super::{
    address,
    server::{ClientServer, EntryChange, ServerLaunch, TextChange, line_start, quote},
    tree::{ConfigMember, ConfigNode, ConfigValue, ObjectStyle},
};
use countersign_events::ToolName;

impl ClientServer<'_> {
    /// The changes that put the gateway before the server.
    pub(super) fn wrap(&self, gateway: &str) -> EntryChange {
        if self.is_wrapped() {
            return EntryChange::Kept;
        }
        if ToolName::new(self.name).is_err() {
            return EntryChange::Skipped("its name cannot begin the name of a tool: rename it");
        }
        match self.launch {
            ServerLaunch::Program { holder, program, args } => {
                self.wrap_program(gateway, holder, program, args)
            }
            ServerLaunch::Words { .. } => {
                let Some((_, first)) = self.words().into_iter().next() else {
                    return EntryChange::Skipped("its command is empty");
                };
                let mut words = vec![quote(gateway)];
                words.extend(self.gateway_words().map(quote));
                words.push(quote("--"));
                EntryChange::Changed(vec![(first.start..first.start, format!("{}, ", words.join(", ")))])
            }
            ServerLaunch::Address { url } => address::wrap(self, gateway, url),
        }
    }

    fn wrap_program(
        &self,
        gateway: &str,
        holder: &ConfigNode,
        program: &ConfigMember,
        args: Option<&ConfigMember>,
    ) -> EntryChange {
        let original = self.text.get(program.node.at.clone()).unwrap_or_default();
        let mut words: Vec<String> = self.gateway_words().map(quote).collect();
        // Without `--`, unwrapping knows that there were no arguments.
        if args.is_some() || program.node.text().is_none_or(needs_dashes) {
            words.push(quote("--"));
        }
        words.push(original.to_owned());
        let prefix = words.join(", ");
        let added = if let Some(args) = args {
            let start = args.node.at.start + 1;
            let is_empty = matches!(&args.node.value, ConfigValue::List(items) if items.is_empty());
            (start..start, if is_empty { prefix } else { format!("{prefix},") })
        } else {
            let Some(separator) = separator(self.text, holder, program) else {
                return EntryChange::Skipped("its table is written in parts: add args to it first");
            };
            let end = program.node.at.end;
            (end..end, format!("{separator}[{prefix}]"))
        };
        EntryChange::Changed(vec![(program.node.at.clone(), quote(gateway)), added])
    }

    fn unwrap_program(&self, program: &ConfigMember, args: &ConfigMember) -> Option<Vec<TextChange>> {
        let words = self.words();
        let inner = words.iter().position(|(word, _)| *word == "--");
        let command = words.get(inner.map_or(4, |at| at + 1))?;
        let original = (program.node.at.clone(), self.text.get(command.1.clone())?.to_owned());
        if inner.is_none() {
            // `args` was added behind the command.
            return (words.len() == 5)
                .then(|| vec![original, (program.node.at.end..args.node.at.end, String::new())]);
        }
        let start = args.node.at.start + 1;
        // Up to the comma after the original command, if words follow it.
        let end = match words.get(inner? + 2) {
            Some((_, next)) => command.1.end + self.text.get(command.1.end..next.start)?.find(',')? + 1,
            None => command.1.end,
        };
        Some(vec![original, (start..end, String::new())])
    }

    fn unwrap_words(&self) -> Option<Vec<TextChange>> {
        let words = self.words();
        let inner = words.iter().position(|(word, _)| *word == "--")?;
        let (first, command) = (words.first()?, words.get(inner + 1)?);
        Some(vec![(first.1.start..command.1.start, String::new())])
    }
}

/// The changes that remove the gateway.
pub(super) fn unwrap_server(server: &ClientServer<'_>) -> EntryChange {
    if !server.is_wrapped() {
        return EntryChange::Kept;
    }
    if let Some(change) = address::unwrap(server) {
        return change;
    }
    let changes = match server.launch {
        ServerLaunch::Program { program, args: Some(args), .. } => server.unwrap_program(program, args),
        ServerLaunch::Words { .. } => server.unwrap_words(),
        ServerLaunch::Program { args: None, .. } | ServerLaunch::Address { .. } => None,
    };
    changes.map_or(
        EntryChange::Skipped("its command line was changed: remove the gateway by hand"),
        EntryChange::Changed,
    )
}

/// Whether the gateway would read a server command as an argument for itself.
fn needs_dashes(command: &str) -> bool {
    command.starts_with('-') || matches!(command, "wrap" | "unwrap" | "help")
}

/// The text between a value and that of the member `args` that is added behind it.
fn separator(text: &str, holder: &ConfigNode, before: &ConfigMember) -> Option<String> {
    match holder.style()? {
        ObjectStyle::Json => Some(", \"args\": ".to_owned()),
        ObjectStyle::Inline => Some(", args = ".to_owned()),
        ObjectStyle::Lines => Some(format!("{}args = ", line_start(text, before))),
        ObjectStyle::Scattered => None,
    }
}
