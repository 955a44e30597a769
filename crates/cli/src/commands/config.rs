//! `countersign config`

use crate::{
    args::Args,
    exit::{Exit, Said},
    output::{self, visible},
    screen::{Screen, Style},
    settings::{Facts, KEYS, Key, NAMES, Origin, Value, login, usual_places},
    table::{Cell, Fit, Table},
};
use serde_json::{Value as Json, json};

/// What to show of the settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"file\": the file that was read, or null, \"settings\": [{\"key\", \"value\": null if nothing holds, \
\"from\": option, environment, file or default, \"where\": its name, or the file and line, \
\"passedOver\": true if something stronger holds in its place, \"notTaken\": the line of countersign.toml \
that sets it in vain, if there is one: --config takes it}]}")]
pub(crate) struct Config {
    /// Print only the path of the file that is read
    #[arg(long)]
    path: bool,
}

pub(crate) fn config(args: &Args, wish: &Config) -> anyhow::Result<Exit> {
    if wish.path {
        return path(args);
    }
    // Found out before anything is printed: what nobody can mean is an error here too.
    args.settings.target()?;
    let named = args.settings.names_the_log()?;
    if args.json {
        let settings: Vec<_> = KEYS.iter().map(|facts| as_json(args, facts, named)).collect();
        let file = args.settings.file.as_ref().map(|path| path.display().to_string());
        output::say(&json!({"file": file, "settings": settings}).to_string());
        return Ok(Exit::DONE);
    }
    let mut table = Table::new(&[("KEY", Fit::Whole), ("VALUE", Fit::Wrap), ("FROM", Fit::Wrap)]);
    for facts in KEYS {
        table.row(as_row(args, facts, named));
    }
    output::say(&table.lay_out(&Screen::of(args)));
    Ok(Exit::DONE)
}

fn path(args: &Args) -> anyhow::Result<Exit> {
    let Some(path) = &args.settings.file else {
        let places: Vec<_> = usual_places().iter().map(|place| place.display().to_string()).collect();
        let message =
            format!("no settings are read from a file; it would be the first of {}", places.join(", "));
        return Err(Said { exit: Exit::FAILED, code: "no_settings", message }.into());
    };
    let path = path.display().to_string();
    output::say(&if args.json { json!({"file": path}).to_string() } else { path });
    Ok(Exit::DONE)
}

/// Whether something stronger holds in place of that.
fn passed_over(facts: &Facts, named: Key) -> bool {
    facts.key != named && NAMES.contains(&facts.key)
}

fn usual(facts: &Facts) -> Option<String> {
    match facts.key {
        Key::As => Some(format!("user:{}", login())),
        _ => Some(facts.usual.to_owned()).filter(|usual| !usual.is_empty()),
    }
}

fn as_row(args: &Args, facts: &Facts, named: Key) -> [Cell; 3] {
    let key = Cell::styled(Style::Cyan, facts.name);
    let over = passed_over(facts, named);
    if let Some(setting) = args.settings.get(facts.key) {
        let (value, origin) = (visible(&setting.shown().to_string()), &setting.origin);
        return if over {
            let from = Cell::styled(Style::Dim, format!("{origin}, passed over"));
            [key, Cell::styled(Style::Dim, value), from]
        } else {
            [key, value.into(), origin.to_string().into()]
        };
    }
    let (value, from) = match usual(facts) {
        _ if over => (String::new(), "not used"),
        Some(usual) => (usual, "default"),
        None => (String::new(), "not set"),
    };
    let from = match not_taken(args, facts) {
        Some(origin) => format!("{from}; {origin} is not taken from this folder"),
        None => from.to_owned(),
    };
    [key, value.into(), Cell::styled(Style::Dim, from)]
}

fn not_taken(args: &Args, facts: &Facts) -> Option<String> {
    let mut in_vain = args.settings.in_vain();
    in_vain.find(|(key, _)| *key == facts.key).map(|(_, origin)| origin.to_string())
}

fn as_json(args: &Args, facts: &Facts, named: Key) -> Json {
    let (key, over) = (facts.name, passed_over(facts, named));
    let Some(setting) = args.settings.get(facts.key) else {
        let usual = usual(facts).and_then(|usual| Value::read(facts, &usual).ok());
        let mut row =
            json!({"key": key, "value": usual, "from": "default", "where": null, "passedOver": over});
        if let Some(origin) = not_taken(args, facts) {
            row["notTaken"] = json!(origin);
        }
        return row;
    };
    let (value, origin) = (setting.shown(), &setting.origin);
    let from = match origin {
        Origin::File(..) => "file",
        Origin::Environment(_) => "environment",
        Origin::Option(_) => "option",
    };
    json!({"key": key, "value": value, "from": from, "where": origin.to_string(), "passedOver": over})
}
