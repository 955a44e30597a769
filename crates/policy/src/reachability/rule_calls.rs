//! Calls that follow from a policy's rules: what a rule allows, with the thing of the question in its gaps.

use super::{
    candidate::Candidate,
    fill::{GoalWords, quote},
    goal::{FileGoal, ReachGoal},
    report::ReachForm,
    rule_lines::{GAP, RuleLines, alternate, commands_for_redirection, names_folder},
    rule_values::{put, satisfy},
    tool_calls::{tools_for, usual_arguments},
    ways::tools_of_table,
};
use crate::{
    harmless::{TabledTool, ToolKind},
    names::{NameGlobs, is_literal},
    policy::Policy,
    rule::PolicyRule,
    selector::RuleSelectors,
    tools::{OperandKind, OperandMapping},
};
use countersign_events::Verdict;
use countersign_patterns::{Glob, UrlPattern};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most tools of one rule that are tried.
const MAX_TOOLS: usize = 40;
/// The most lines of one rule in a quick search.
const QUICK_LINES: usize = 60;

/// Makes calls for the rules of one policy.
pub(crate) struct RuleCalls<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) goal: &'a ReachGoal,
    pub(crate) words: &'a GoalWords,
    /// The names of tools that do what the question is about, for the gaps of tool patterns.
    own_names: Vec<&'static str>,
    /// Lines that were made before, of which only the first ones of each rule are tried.
    lines: Option<&'a RuleLines>,
}

impl<'a> RuleCalls<'a> {
    pub(crate) fn new(
        policy: &'a Policy,
        goal: &'a ReachGoal,
        words: &'a GoalWords,
        lines: Option<&'a RuleLines>,
    ) -> Self {
        let is_shell = |name: &&str| ToolKind::Shell.includes(name, crate::RuleEffect::Restrict);
        let mut seen = BTreeSet::new();
        let own_names = known_names(goal).filter(|name| !is_shell(name) && seen.insert(*name)).collect();
        Self { policy, goal, words, own_names, lines }
    }

    /// The calls of all rules that allow: those of new rules first, and of them the first of each rule.
    pub(crate) fn find(&self) -> Vec<Candidate> {
        let allows = |(_, rule): &(usize, &PolicyRule)| rule.verdict == Verdict::Allow && !rule.shadow;
        let rules = self.policy.rules.iter().enumerate().filter(allows);
        let (new, others): (Vec<_>, Vec<_>) =
            rules.partition(|(index, _)| self.lines.is_some_and(|lines| lines.is_new(*index)));
        let calls = |rules: Vec<(usize, &PolicyRule)>| {
            let lists = rules.into_iter().map(|(index, rule)| self.calls_of_rule(index, rule).into_iter());
            alternate(lists.collect())
        };
        [calls(new), self.calls_of_mappings(), calls(others)].concat()
    }

    fn calls_of_rule(&self, index: usize, rule: &PolicyRule) -> Vec<Candidate> {
        let selectors = &rule.matching;
        let mut calls = Vec::new();
        let lines = if selectors.commands.is_empty() { Vec::new() } else { self.lines_of(index, selectors) };
        for tool in self.tools_of(selectors) {
            calls.extend(self.calls_of_tool(&tool, selectors, &lines));
        }
        let thread = selectors.threads.as_ref().and_then(first_name);
        let server = selectors.place.as_ref().and_then(|place| place.server.as_ref()).and_then(first_name);
        for call in &mut calls {
            call.thread.clone_from(&thread);
            call.server.clone_from(&server);
        }
        calls
    }

    /// The tools that a rule may be about, as far as they are known.
    fn tools_of(&self, selectors: &RuleSelectors) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        if let Some(globs) = &selectors.tools {
            tools.extend(globs.literals().map(str::to_owned));
            let patterns = globs.patterns.iter().filter_map(|pattern| Glob::name(pattern).ok());
            for pattern in patterns.filter(|pattern| !is_literal(pattern.as_str())) {
                tools
                    .extend(self.own_names.iter().flat_map(|name| pattern.samples(name).collect::<Vec<_>>()));
                // Names with a server, for a pattern such as `*` or `*read*`.
                tools.extend(
                    self.own_names
                        .iter()
                        .filter(|name| pattern.is_match(name))
                        .map(|name| (*name).to_owned()),
                );
            }
        }
        for kind in &selectors.kinds {
            tools
                .extend(TabledTool::all().filter(|tool| tool.kind == *kind).map(|tool| tool.name.to_owned()));
        }
        if tools.is_empty() && !selectors.commands.is_empty() {
            tools.push("Bash".to_owned());
        }
        if selectors.kinds.contains(&ToolKind::Shell) && selectors.tools.is_none() {
            tools.retain(|tool| tool == "Bash");
        }
        let mut seen = BTreeSet::new();
        tools.retain(|tool| seen.insert(tool.clone()));
        tools.truncate(MAX_TOOLS);
        tools
    }

    fn calls_of_tool(&self, tool: &str, selectors: &RuleSelectors, lines: &[String]) -> Vec<Candidate> {
        let words: Vec<_> = self.words.spellings().collect();
        let mut calls = Vec::new();
        if !selectors.commands.is_empty() {
            calls.extend(lines.iter().map(|line| self.command(tool, line)));
        } else if !selectors.urls.is_empty() {
            let urls = selectors.urls.iter().flat_map(|pattern| self.urls_of(pattern));
            calls.extend(urls.map(|url| self.with_operand(tool, OperandKind::Url, json!({}), &url)));
        } else {
            let usual = usual_arguments(self.goal, self.words);
            calls.extend(usual.into_iter().map(|arguments| Candidate::new(tool, arguments)));
            calls.extend(words.iter().map(|word| Candidate::new(tool, json!({"pattern": word}))));
            if ToolKind::Shell.includes(tool, crate::RuleEffect::Restrict) {
                let lines = self.shell_lines();
                calls.extend(lines.iter().map(|line| self.command(tool, line)));
            }
        }
        for call in &mut calls {
            satisfy(&mut call.arguments, &selectors.args, &words);
        }
        calls
    }

    /// Command lines of the patterns, and the same with redirections.
    fn lines_of(&self, index: usize, selectors: &RuleSelectors) -> Vec<String> {
        let natural = self.words.spellings().next().unwrap_or_default();
        let mut lists = Vec::new();
        if let Some(lines) = self.lines {
            let made = lines.of_rule(index).iter().take(QUICK_LINES);
            lists.push(made.map(|line| line.replace(GAP, &quote(natural))).collect());
        }
        for word in self.words.spellings() {
            let is_made = self.lines.is_some() || word != natural;
            let quoted = quote(word);
            let patterns = selectors.commands.iter().filter(|pattern| !is_made || names_folder(pattern));
            let samples: Vec<_> = patterns.map(|pattern| pattern.samples(&quoted, word)).collect();
            lists.push(alternate(samples));
        }
        let redirection = match self.goal {
            ReachGoal::File { access: FileGoal::Read, .. } => Some('<'),
            ReachGoal::File { access: FileGoal::Write, .. } => Some('>'),
            _ => None,
        };
        lists.extend(redirection.map(|sign| {
            let commands = commands_for_redirection(&selectors.commands);
            commands.map(|line| format!("{line} {sign} {}", quote(natural))).collect()
        }));
        let mut seen = BTreeSet::new();
        let mut lines = alternate(lists.into_iter().map(Vec::into_iter).collect());
        lines.retain(|line| seen.insert(line.clone()));
        lines
    }

    /// A few lines for a shell of which a rule allows every command.
    fn shell_lines(&self) -> Vec<String> {
        let ReachGoal::File { access, .. } = self.goal else { return Vec::new() };
        let word = self.words.spellings().next().map(quote).unwrap_or_default();
        let line = match access {
            FileGoal::Read => format!("cat {word}"),
            FileGoal::List => format!("ls {word}"),
            FileGoal::Write => format!("echo x > {word}"),
            FileGoal::Delete => format!("rm {word}"),
            FileGoal::Run => format!("sh {word}"),
        };
        vec![line]
    }

    /// Addresses that the pattern matches, with the host of the question.
    fn urls_of(&self, pattern: &UrlPattern) -> Vec<String> {
        let ReachGoal::Host(host) = self.goal else { return Vec::new() };
        let text = pattern.as_str();
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        let scheme = if scheme.contains('*') { "https" } else { scheme };
        let (_, path) = rest.split_once('/').unwrap_or((rest, ""));
        let path = path.replace(['*', '?'], "x");
        vec![format!("{scheme}://{host}/{path}"), format!("{scheme}://{host}/")]
    }

    /// Calls of the tools that `[tools]` describes.
    fn calls_of_mappings(&self) -> Vec<Candidate> {
        let mut calls = Vec::new();
        for mapping in &self.policy.settings.tools {
            for tool in tool_names(&mapping.tools, &self.own_names) {
                match self.goal {
                    ReachGoal::File { .. } if !mapping.paths.is_empty() => {
                        let words = self.words.spellings();
                        calls.extend(
                            words.map(|word| self.with_operand(&tool, OperandKind::Path, json!({}), word)),
                        );
                    }
                    ReachGoal::Host(host) if !mapping.urls.is_empty() => {
                        let url = format!("https://{host}/");
                        calls.push(self.with_operand(&tool, OperandKind::Url, json!({}), &url));
                    }
                    _ if !mapping.commands.is_empty() => {
                        calls.extend(self.shell_lines().iter().map(|line| self.command(&tool, line)));
                    }
                    _ => calls.extend(
                        usual_arguments(self.goal, self.words)
                            .into_iter()
                            .map(|arguments| Candidate::new(&tool, arguments)),
                    ),
                }
            }
        }
        calls
    }

    fn command(&self, tool: &str, line: &str) -> Candidate {
        let call = self.with_operand(tool, OperandKind::Command, json!({}), line);
        Candidate { form: ReachForm::Command, ..call }
    }

    /// A call whose operand of this kind stands where the policy or most tools have it.
    fn with_operand(&self, tool: &str, kind: OperandKind, mut arguments: Value, operand: &str) -> Candidate {
        let mappings = self.policy.settings.tools.iter().filter(|mapping| mapping.tools.is_match(tool));
        let pointer = mappings.flat_map(|mapping: &OperandMapping| mapping.pointers(kind)).next();
        if let Some(pointer) = pointer.or_else(|| kind.usual().first()) {
            put(&mut arguments, pointer.steps(), Value::from(operand));
        }
        Candidate::new(tool, arguments)
    }
}

/// The first name that one of the patterns matches.
fn first_name(globs: &NameGlobs) -> Option<String> {
    globs
        .patterns
        .iter()
        .filter_map(|pattern| Glob::name(pattern).ok())
        .find_map(|glob| glob.samples("x").next())
}

fn tool_names(globs: &NameGlobs, own_names: &[&'static str]) -> Vec<String> {
    let literal = globs.literals().map(str::to_owned);
    let known = own_names.iter().filter(|name| globs.is_match(name)).map(|name| (*name).to_owned());
    literal.chain(known).take(MAX_TOOLS).collect()
}

/// The own names of the tools that are known to do what the question is about, those of MCP servers first.
pub(crate) fn known_names(goal: &ReachGoal) -> impl Iterator<Item = &'static str> {
    let of_servers = tools_of_table(goal).filter(|name| name.contains("__"));
    let names = of_servers.chain(tools_of_table(goal)).chain(tools_for(goal).map(|tool| tool.name));
    names.map(|name| name.rsplit("__").next().unwrap_or(name)).filter(|name| !name.contains('{'))
}
