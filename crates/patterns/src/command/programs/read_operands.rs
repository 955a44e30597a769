//! Reads operands: subcommands, where an inner command starts, and operands with an effect.

use super::{
    options::OptionEffect,
    resolve::{RoleReader, programs_own},
    roles::{OptionForm, WordRole},
    special::{is_assignment, is_special_operand, operand_prefix},
    table::{LazyEntry, ProgramEntry},
};
use crate::command::line::CommandWord;

impl RoleReader<'_> {
    pub(super) fn read_operand(&mut self, at: usize) {
        if !self.path_ends && self.read_subcommand(at) {
            return;
        }
        let text = self.words[at].text.clone();
        if let Some(launch) = self.active_launch() {
            if launch.assignments && is_assignment(&text) {
                self.roles.push(WordRole::fixed(text.find('=').map_or(usize::MAX, |at| at + 1), None));
                return;
            }
            let runs = launch.runs_operands();
            if runs && self.operands == launch.operands {
                return self.start_inner(at, false);
            }
            // What follows a script file is the script's own.
            self.options_end |= runs && !launch.dashes && self.operands + 1 == launch.operands;
        }
        self.operands += 1;
        if self.active.iter().any(|entry| self.operands <= entry.row.texts) {
            self.texts.push(at);
        }
        if self.active.iter().any(|entry| entry.row.leading_bundle) && at == self.subcommand_end {
            let style = self.style();
            return self.read_letters(at, &text, 0, style);
        }
        let role = self.role_of_operand(at, &text);
        self.roles.push(role);
        self.options_end |= self.active.iter().any(|entry| entry.row.posix);
        if self.active_launch().is_some_and(|launch| launch.file) {
            self.read_file_arguments();
        }
    }

    /// Reads a script file's arguments. Its options are unknown.
    fn read_file_arguments(&mut self) {
        let role = |word: &CommandWord| {
            if word.may_be_option() || word.text.starts_with('-') {
                WordRole::UNLISTED
            } else {
                WordRole::Free
            }
        };
        let rest: Vec<_> = self.words[self.roles.len()..].iter().map(role).collect();
        self.roles.extend(rest);
    }

    fn role_of_operand(&mut self, at: usize, text: &str) -> WordRole {
        let limit = self.active.iter().filter_map(|entry| entry.row.max_operands).min();
        if limit.is_some_and(|limit| self.operands > limit) {
            return WordRole::fixed(usize::MAX, Some(OptionEffect::Write));
        }
        let found = self.options().filter(|(_, _, listed)| !listed.starts_with('-')).find_map(|found| {
            let (option, _, listed) = found;
            let (written, form) = match operand_prefix(listed, text) {
                Some(rest) => (&text[..text.len() - rest.len()], OptionForm::Prefix(rest.to_owned())),
                None if listed == text
                    || is_special_operand(listed, text, self.operands, self.script_given) =>
                {
                    (text, OptionForm::Word)
                }
                None => return None,
            };
            option.effect_with(Some(text)).map(|effect| (found, written, form, effect))
        });
        if let Some(((option, spelling, _), written, form, effect)) = found {
            self.add_use(at, option, spelling, written, form, Some(effect));
            return WordRole::fixed(written.len(), Some(effect));
        }
        WordRole::Free
    }

    /// Reads a subcommand. Returns false for an operand of earlier subcommands.
    fn read_subcommand(&mut self, at: usize) -> bool {
        let word = &self.words[at];
        let own = programs_own(&self.entries);
        let alias = own.iter().find_map(|entry| entry.row.aliases.get(&word.text));
        let name = alias.filter(|_| self.path.is_empty()).unwrap_or(&word.text);
        let candidate = if self.path.is_empty() { name.clone() } else { format!("{} {name}", self.path) };
        let is_listed = word.is_literal() && self.has_path(&candidate, true);
        if is_listed {
            self.path = candidate;
            self.subcommand_end = at + 1;
            self.path_ends = !self.has_path(&self.path, false);
            self.activate();
            let is_named =
                self.active.iter().any(|entry| entry.row.named && !entry.row.subcommands.is_empty());
            self.roles.push(if is_named { WordRole::UNLISTED } else { WordRole::Free });
            return true;
        }
        self.path_ends = true;
        if self.active_launch().is_some_and(|launch| launch.otherwise) {
            self.start_inner(at, true);
            return true;
        }
        if self.path.is_empty() {
            self.active.retain(|entry| entry.row.anywhere);
        }
        self.roles.push(WordRole::UNLISTED);
        true
    }

    /// Whether the table has the subcommands `path`, or longer ones.
    fn has_path(&self, path: &str, also_equal: bool) -> bool {
        self.entries.iter().flat_map(|entry| &entry.subcommands).any(|listed| {
            listed
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with(' ') || also_equal && rest.is_empty())
        })
    }

    /// Selects the entries for the subcommands so far.
    fn activate(&mut self) {
        let describes = |entry: &&&'static LazyEntry| entry.subcommands.contains(&self.path.as_str());
        self.active = self.entries.iter().filter(describes).map(|entry| entry.get()).collect();
        let anywhere = |entry: &&'static ProgramEntry| entry.row.anywhere;
        self.active.extend(programs_own(&self.entries).into_iter().filter(anywhere));
    }
}
