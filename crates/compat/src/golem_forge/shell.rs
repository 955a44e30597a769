//! The toolset `shell`: rules by the start of a command, of which the first counts, and a default for all other commands.
//! Without a default, all other commands are blocked.

use super::{
    imported_policy::{ImportedPolicy, ImportedRule},
    settings::{Fields, fields_of, note_unknown, read_decision},
};
use serde_json::Value;

/// The tool that runs commands.
const TOOL: &str = "shell";

/// What its commands may not contain, because they are run without a shell.
const METACHARACTERS: &str = r"[|><;&`]|\$[({]";

/// The same, as text.
const FORBIDDEN: [&str; 8] = ["|", ">", "<", ";", "&", "`", "$(", "${"];

/// A rule, by the start of its commands.
struct ShellRule {
    prefix: String,
    verdict: &'static str,
}

/// Reads the rules and the default. Countersign counts the strictest rule, so a rule leaves out the commands that an earlier and
/// less strict rule names.
pub(super) fn read_shell(settings: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    note_unknown(settings, &["rules", "default"], "toolset shell", policy);
    let default = match settings.get("default").filter(|default| !default.is_null()) {
        None => "block",
        Some(default) => {
            let default = fields_of(default, "the default of toolset shell")?;
            note_unknown(default, &["approval"], "the default of toolset shell", policy);
            read_decision(default.get("approval"), "the default of toolset shell has approval")?
                .unwrap_or("ask")
        }
    };
    policy.add_rule(ImportedRule {
        name: "shell: metacharacters".to_owned(),
        tool: TOOL.to_owned(),
        matches: Some(METACHARACTERS.to_owned()),
        verdict: "block",
        reason: Some("commands run without a shell, so shell metacharacters are blocked".to_owned()),
        ..ImportedRule::default()
    });
    let rules = read_rules(settings, policy)?;
    for (index, rule) in rules.iter().enumerate() {
        add_shell_rule(rule, &rules[..index], policy);
    }
    let reason =
        (default == "block").then(|| "the command is on no list of commands that may run".to_owned());
    let other = ImportedRule::of_tool(TOOL, default, reason);
    let named = rules.iter().map(|rule| rule.prefix.as_str());
    let except = (default != "allow").then(|| any_prefix(named)).flatten();
    policy.add_rule(ImportedRule { name: format!("shell, other commands: {default}"), except, ..other });
    Ok(())
}

/// The rules that can match a command.
fn read_rules(settings: &Fields, policy: &mut ImportedPolicy) -> Result<Vec<ShellRule>, String> {
    let mut read = Vec::<ShellRule>::new();
    let rules = settings.get("rules").filter(|rules| !rules.is_null());
    let rules = rules.map_or(Ok(&[][..]), |rules| {
        rules.as_array().map(Vec::as_slice).ok_or("the rules of toolset shell must be a list")
    })?;
    for rule in rules {
        let rule = fields_of(rule, "a rule of toolset shell")?;
        let prefix =
            rule.get("pattern").and_then(Value::as_str).ok_or("a rule of toolset shell has no pattern")?;
        let what = format!("shell rule {prefix:?}");
        note_unknown(rule, &["pattern", "approval"], &what, policy);
        let verdict = read_decision(rule.get("approval"), &format!("{what} has approval"))?.unwrap_or("ask");
        let earlier = read.iter().find(|earlier| prefix.starts_with(&earlier.prefix));
        if let Some(earlier) = earlier {
            policy.notes.push(format!("{what} is left out: {:?} before it matches first", earlier.prefix));
        } else if FORBIDDEN.iter().any(|part| prefix.contains(part)) {
            policy.notes.push(format!("{what} is left out: commands with metacharacters are blocked"));
        } else {
            read.push(ShellRule { prefix: prefix.to_owned(), verdict });
        }
    }
    Ok(read)
}

fn add_shell_rule(rule: &ShellRule, earlier: &[ShellRule], policy: &mut ImportedPolicy) {
    let ShellRule { prefix, verdict } = rule;
    let command = command_pattern(prefix);
    if *verdict == "allow" && command.is_none() {
        let note = format!("shell rule {prefix:?} cannot be written as a pattern; its commands are asked");
        policy.notes.push(note);
        return;
    }
    let strictness = |verdict: &str| ["allow", "ask", "block"].iter().position(|word| *word == verdict);
    let laxer = earlier
        .iter()
        .filter(|other| other.prefix.starts_with(prefix) && strictness(other.verdict) < strictness(verdict));
    let except = any_prefix(laxer.map(|other| other.prefix.as_str()));
    policy.add_rule(ImportedRule {
        name: format!("shell {prefix:?}: {verdict}"),
        tool: TOOL.to_owned(),
        matches: if command.is_none() { any_prefix(std::iter::once(prefix.as_str())) } else { None },
        command,
        except,
        verdict,
        reason: (*verdict == "block").then(|| format!("commands that start with {prefix:?} are blocked")),
    });
}

/// The pattern of the commands that start with these words; `None` if a pattern reads them in another way.
fn command_pattern(prefix: &str) -> Option<String> {
    let words = prefix.trim_end_matches(' ');
    let is_plain = |letter: char| letter.is_ascii_graphic() && !"'\"\\$!#~*?[]{}()^".contains(letter);
    let is_words =
        !words.is_empty() && words.split(' ').all(|word| !word.is_empty() && word.chars().all(is_plain));
    is_words.then(|| if words.len() < prefix.len() { format!("{words} **") } else { format!("{words}*") })
}

/// The regular expression of texts that start with one of these; `None` if there are none.
fn any_prefix<'a>(prefixes: impl Iterator<Item = &'a str>) -> Option<String> {
    let escape = |prefix: &str| {
        let escaped = prefix.chars().flat_map(|letter| {
            let special = r"\.+*?()|[]{}^$#&-~".contains(letter);
            special.then_some('\\').into_iter().chain([letter])
        });
        escaped.collect::<String>()
    };
    let prefixes: Vec<_> = prefixes.map(escape).collect();
    (!prefixes.is_empty()).then(|| format!("^(?:{})", prefixes.join("|")))
}
