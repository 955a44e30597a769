//! `countersign config`

use countersign_console::{
    CliError, ColumnFit, CommandContext, CommandExit, KEYS, LOG_KEYS, SettingDefinition, SettingKey,
    SettingOrigin, SettingValue, TableCell, TextStyle, TextTable, default_files, escape_text,
    find_default_log, login_name, print_line,
};
use serde_json::{Value as Json, json};

/// Options of `config`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"file\": the file that was read, or null, \"settings\": [{\"key\", \"value\": null if it is not set, \
\"from\": option, environment, file or default, \"where\": its name, or the file and line, \
\"overridden\": true if a stronger setting overrides it, \"notTaken\": the line of countersign.toml \
whose value is ignored without --config, if there is one}]}")]
pub(crate) struct ConfigArgs {
    /// Print only the settings file's path
    #[arg(long)]
    path: bool,
}

pub(crate) fn print_config(context: &CommandContext, args: &ConfigArgs) -> anyhow::Result<CommandExit> {
    if args.path {
        return path(context);
    }
    // Check for contradictions before anything is printed.
    context.settings.target()?;
    let named = context.settings.log_key()?;
    if context.json {
        let settings: Vec<_> = KEYS.iter().map(|facts| as_json(context, facts, named)).collect();
        let file = context.settings.file.as_ref().map(|path| path.display().to_string());
        print_line(&json!({"file": file, "settings": settings}).to_string());
        return Ok(CommandExit::DONE);
    }
    let mut table = TextTable::new(&[
        ("KEY", ColumnFit::Whole),
        ("VALUE", ColumnFit::Wrapped),
        ("FROM", ColumnFit::Wrapped),
    ]);
    for facts in KEYS {
        table.add_row(as_row(context, facts, named));
    }
    print_line(&table.format(&context.screen()));
    Ok(CommandExit::DONE)
}

fn path(context: &CommandContext) -> anyhow::Result<CommandExit> {
    let Some(path) = &context.settings.file else {
        let places: Vec<_> = default_files().iter().map(|place| place.display().to_string()).collect();
        let message = format!(
            "there is no settings file; the first of these files would be used: {}",
            places.join(", ")
        );
        return Err(CliError { exit: CommandExit::FAILED, code: "no_settings", message }.into());
    };
    let path = path.display().to_string();
    print_line(&if context.json { json!({"file": path}).to_string() } else { path });
    Ok(CommandExit::DONE)
}

/// Returns true if another key takes precedence in naming the log.
fn is_overridden(facts: &SettingDefinition, named: SettingKey) -> bool {
    facts.key != named && LOG_KEYS.contains(&facts.key)
}

fn usual(facts: &SettingDefinition) -> Option<String> {
    match facts.key {
        SettingKey::As => Some(format!("user:{}", login_name())),
        SettingKey::Database => find_default_log().ok().map(|path| path.display().to_string()),
        _ => Some(facts.usual.to_owned()).filter(|usual| !usual.is_empty()),
    }
}

fn as_row(context: &CommandContext, facts: &SettingDefinition, named: SettingKey) -> [TableCell; 3] {
    let key = TableCell::styled(TextStyle::Cyan, facts.name);
    let over = is_overridden(facts, named);
    if let Some(setting) = context.settings.get(facts.key) {
        let (value, origin) = (escape_text(&setting.without_password().to_string()), &setting.origin);
        return if over {
            let from = TableCell::styled(TextStyle::Dim, format!("{origin}, overridden"));
            [key, TableCell::styled(TextStyle::Dim, value), from]
        } else {
            [key, value.into(), origin.to_string().into()]
        };
    }
    let (value, from) = match usual(facts) {
        _ if over => (String::new(), "not used"),
        Some(usual) => (usual, "default"),
        None => (String::new(), "not set"),
    };
    let from = match not_taken(context, facts) {
        Some(origin) => format!("{from}; {origin} is ignored without --config"),
        None => from.to_owned(),
    };
    [key, value.into(), TableCell::styled(TextStyle::Dim, from)]
}

fn not_taken(context: &CommandContext, facts: &SettingDefinition) -> Option<String> {
    let mut in_vain = context.settings.ignored();
    in_vain.find(|(key, _)| *key == facts.key).map(|(_, origin)| origin.to_string())
}

fn as_json(context: &CommandContext, facts: &SettingDefinition, named: SettingKey) -> Json {
    let (key, over) = (facts.name, is_overridden(facts, named));
    let Some(setting) = context.settings.get(facts.key) else {
        let usual = usual(facts).and_then(|usual| SettingValue::read(facts, &usual).ok());
        let mut row =
            json!({"key": key, "value": usual, "from": "default", "where": null, "overridden": over});
        if let Some(origin) = not_taken(context, facts) {
            row["notTaken"] = json!(origin);
        }
        return row;
    };
    let (value, origin) = (setting.without_password(), &setting.origin);
    let from = match origin {
        SettingOrigin::File(..) => "file",
        SettingOrigin::Environment(_) => "environment",
        SettingOrigin::Option(_) => "option",
    };
    json!({"key": key, "value": value, "from": from, "where": origin.to_string(), "overridden": over})
}
