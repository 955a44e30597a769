//! Reads command options.

use super::{
    options::{OptionEffect, OptionEntry, OptionSource, OptionValue},
    resolve::{OptionStyle, RoleReader},
    roles::{InnerKind, OptionForm, OptionUse, WordRole},
    scripts::has_sed_effect,
};

impl RoleReader<'_> {
    pub(super) fn options(
        &self,
    ) -> impl Iterator<Item = (&'static OptionEntry, usize, &'static str)> + use<'_> {
        self.active.iter().flat_map(|entry| &entry.options).flat_map(|option| {
            option.spellings.iter().enumerate().map(move |(at, text)| (option, at, text.as_str()))
        })
    }

    pub(super) fn is_inert(&self) -> bool {
        !self.active.is_empty() && self.active.iter().all(|entry| entry.row.xargs)
    }

    pub(super) fn read_option(&mut self, at: usize) {
        let word = &self.words[at];
        // An expansion may result in any option, or in several words.
        if word.may_split || word.may_be_option() && !word.text.starts_with('-') {
            self.roles.push(if self.is_inert() { WordRole::Free } else { WordRole::UNLISTED });
            return;
        }
        let (style, text) = (self.style(), word.text.clone());
        let (name, attached) =
            text.split_once('=').map_or((&*text, None), |(name, value)| (name, Some(value)));
        let exact = self.options().find(|(_, _, listed)| {
            name == *listed && (!style.bundles || name.len() != 2)
                || is_long_option(name, listed, style.dashes)
        });
        // A word that starts like a harmless option may be another option, which the table does not list.
        let begins = |(option, _, listed): &(&OptionEntry, _, &str)| {
            let has_effect = matches!(option.source, OptionSource::Effect(_));
            style.abbreviations && has_effect && is_abbreviation(name, listed)
        };
        if let Some((option, spelling, _)) = exact.or_else(|| self.options().find(begins)) {
            return self.add_long(at, option, spelling, name, attached);
        }
        if text.starts_with('+') {
            self.roles.push(WordRole::UNLISTED);
            return;
        }
        let letter = name.get(..2).filter(|letter| style.attached && *letter != "--" && text.len() > 2);
        let found = letter.and_then(|letter| {
            self.options().find(|(option, _, listed)| letter == *listed && option.value != OptionValue::None)
        });
        if let Some((option, spelling, _)) = found {
            return self.add_long(at, option, spelling, &text[..2], Some(&text[2..]));
        }
        if text.starts_with("--") || !style.bundles && !is_number(&text, style) {
            self.roles.push(WordRole::fixed(name.len(), None));
            return;
        }
        self.read_letters(at, &text, 1, style);
    }

    fn add_long(
        &mut self,
        at: usize,
        option: &'static OptionEntry,
        spelling: usize,
        name: &str,
        attached: Option<&str>,
    ) {
        let next =
            self.words.get(at + 1).filter(|_| attached.is_none() && option.value == OptionValue::Required);
        let value = attached.or_else(|| next.map(|next| next.text.as_str()));
        let effect = self.effect_of(option, value);
        let is_known = option.value != OptionValue::None || attached.is_none();
        self.add_use(at, option, spelling, name, OptionForm::Long(attached.map(str::to_owned)), effect);
        let role =
            if effect.is_none() && is_known { WordRole::Free } else { WordRole::fixed(name.len(), effect) };
        self.roles.push(role);
        self.finish_option(at, option, next.is_some());
    }

    /// Reads what follows an option: its value in the next word, or a command.
    fn finish_option(&mut self, at: usize, option: &OptionEntry, takes_next: bool) {
        let is_listed = |listed: &String| option.spellings.contains(listed);
        let launch = self.active_launch();
        if launch.is_some_and(|launch| launch.exec.iter().any(is_listed)) {
            return self.read_exec(at + 1);
        }
        if !takes_next {
            return;
        }
        if let Some(launch) = launch {
            if launch.module.as_ref().is_some_and(is_listed) {
                self.set_inner(at + 1, InnerKind::Module, false);
                return;
            }
            if launch.script.as_ref().is_some_and(is_listed) {
                self.set_inner(at + 1, InnerKind::Script, false);
                return;
            }
        }
        let value = &self.words[at + 1];
        // The words that an expansion results in may be more than the value.
        let is_one = !value.may_split && !value.may_vanish;
        let is_plain = self.effect_in_script(option, Some(&value.text)).is_none();
        // Only libraries with abbreviations take a next word that looks like an option as the value.
        let is_option = !self.style().abbreviations
            && value.text.len() > 1
            && value.text.starts_with('-')
            && !value.text[1..].bytes().all(|byte| byte.is_ascii_digit());
        let is_free = is_plain && (is_one && !is_option || self.is_inert());
        self.roles.push(if is_free { WordRole::Free } else { WordRole::UNLISTED });
    }

    /// Reads the command after an option such as `-exec`, up to its end.
    fn read_exec(&mut self, start: usize) {
        let rest = &self.words[start.min(self.words.len())..];
        let end = rest.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(rest.len());
        let words = rest[..end].to_vec();
        if !words.is_empty() {
            self.add_roles(&words, 0, start);
        }
        if end < rest.len() {
            self.roles.push(WordRole::Free);
        }
    }

    fn effect_of(&self, option: &OptionEntry, value: Option<&str>) -> Option<OptionEffect> {
        option.effect_with(value).or_else(|| self.effect_in_script(option, value).filter(|_| value.is_some()))
    }

    /// What a `sed -e` script does.
    fn effect_in_script(&self, option: &OptionEntry, value: Option<&str>) -> Option<OptionEffect> {
        let is_script = option.spellings.iter().any(|listed| listed == "-e")
            && self.options().any(|(_, _, listed)| listed == "<sed script>");
        value.filter(|value| is_script && has_sed_effect(value)).map(|_| OptionEffect::Run)
    }

    pub(super) fn add_use(
        &mut self,
        at: usize,
        option: &'static OptionEntry,
        spelling: usize,
        written: &str,
        form: OptionForm,
        effect: Option<OptionEffect>,
    ) {
        self.script_given |= option.spellings.iter().any(|listed| listed == "-e");
        self.uses.push(OptionUse { option, written: written.to_owned(), at, spelling, form, effect });
    }

    /// Reads a bundle of short options from the byte `from`.
    pub(super) fn read_letters(&mut self, at: usize, text: &str, from: usize, style: OptionStyle) {
        let mut role = WordRole::Free;
        let mut fix = |written: usize, effect: Option<OptionEffect>| {
            if role == WordRole::Free
                || role.effect().is_none() && effect.is_some()
                || effect == Some(OptionEffect::Run)
            {
                role = WordRole::fixed(written, effect);
            }
        };
        let mut last = None;
        for (offset, letter) in text.char_indices().skip(from) {
            let after = offset + letter.len_utf8();
            let is_letter =
                |listed: &str| listed.len() == 2 && listed.starts_with('-') && listed.ends_with(letter);
            let found = self.options().find(|(_, _, listed)| letter.is_ascii() && is_letter(listed));
            let Some((option, spelling, _)) = found else {
                let is_count = style.numbers && offset == from && is_number(text, style);
                if !is_count {
                    fix(after, None);
                }
                break;
            };
            let rest = if option.value == OptionValue::None { "" } else { &text[after..] };
            let next = self.words.get(at + 1).map(|next| next.text.as_str());
            let takes_next = option.value == OptionValue::Required && rest.is_empty() && from > 0;
            let value = if takes_next { next } else { Some(rest).filter(|rest| !rest.is_empty()) };
            let effect = self.effect_of(option, value);
            // A bundle without a dash can only be named completely: `x` could be any word of a pattern.
            let written = if from == 0 { text } else { &text[..after] };
            if effect.is_some() {
                fix(written.len(), effect);
            }
            self.add_use(at, option, spelling, written, OptionForm::Short(letter, rest.to_owned()), effect);
            if option.value != OptionValue::None {
                last = Some((option, takes_next && next.is_some()));
                break;
            }
            if !style.bundles {
                if !text[after..].is_empty() {
                    fix(text.len(), None);
                }
                break;
            }
        }
        self.roles.push(role);
        if let Some((option, takes_next)) = last {
            self.finish_option(at, option, takes_next);
        }
    }
}

/// Whether the word is a number as an option, such as `-20`.
fn is_number(text: &str, style: OptionStyle) -> bool {
    let digits = text.strip_prefix('-').unwrap_or_default();
    style.numbers && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether `name` is the listed long option. With `dashes`, one dash and two are the same.
fn is_long_option(name: &str, listed: &str, dashes: bool) -> bool {
    if !listed.starts_with('-') || listed.len() < 3 && !(dashes && name.starts_with("--")) {
        return listed.starts_with('+') && name == listed;
    }
    if let Some(begin) = listed.strip_suffix('*') {
        return name.len() >= begin.len() && name.starts_with(begin);
    }
    let bare = |text: &str| text.trim_start_matches('-').to_owned();
    name == listed
        || !listed.starts_with("--") && name.strip_prefix('-') == Some(listed)
        || dashes && bare(name) == bare(listed)
}

/// Whether `name` abbreviates the listed long option, as many programs accept.
fn is_abbreviation(name: &str, listed: &str) -> bool {
    name.len() > 2 && listed.starts_with("--") && listed.starts_with(name)
}
