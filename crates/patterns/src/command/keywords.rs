//! Reads keywords, loops and assignments.

use super::{
    line::CommandWord,
    list::{ListState, OpenBlock},
    reader::LineReader,
};

/// Keywords of constructs that the grammar does not cover. The commands in them are still found.
const UNREAD_KEYWORDS: &[&str] = &[
    "[[",
    "case",
    "coproc",
    "end",
    "esac",
    "foreach",
    "in",
    "nocorrect",
    "noglob",
    "repeat",
    "select",
    "]]",
];
/// Names of loop variables that no shell gives a meaning, in addition to single letters.
const HARMLESS_VARIABLES: &[&str] = &[
    "branch", "dir", "entry", "file", "folder", "item", "line", "name", "num", "package", "pkg", "test",
    "word",
];

impl LineReader<'_> {
    /// Reads a word where a command may start. Returns false if it is not a keyword.
    pub(super) fn read_keyword(&mut self, word: &CommandWord, state: &mut ListState) -> bool {
        use OpenBlock::{Branch, Condition, Group, LastBranch, LoopBody, LoopHead};
        let is_valid = match word.raw.as_str() {
            "!" => {
                state.needs_command = true;
                true
            }
            "{" => open_block(state, Group),
            "if" => open_block(state, Condition),
            "while" | "until" => {
                self.line.has_loop = true;
                open_block(state, LoopHead)
            }
            "for" => return self.read_for(state),
            "function" => {
                self.cursor.skip_blanks();
                self.read_word();
                false
            }
            "then" => state.replace(&[Condition], Branch),
            "elif" => state.replace(&[Branch], Condition),
            "else" => state.replace(&[Branch], LastBranch),
            "do" => state.replace(&[LoopHead], LoopBody),
            "fi" => state.close(&[Branch, LastBranch]),
            "done" => state.close(&[LoopBody]),
            "}" => state.close(&[Group]),
            keyword => {
                if UNREAD_KEYWORDS.contains(&keyword) {
                    self.mark_unclear("a keyword outside of the grammar");
                }
                return false;
            }
        };
        if !is_valid {
            self.mark_unclear("a keyword out of place");
        }
        // A pipe feeds the whole block. Its commands inherit the input.
        state.command.is_piped = false;
        true
    }

    /// Reads `for name in words`, up to the separator before `do`.
    fn read_for(&mut self, state: &mut ListState) -> bool {
        state.open(OpenBlock::LoopHead);
        state.command.is_piped = false;
        self.cursor.skip_blanks();
        let name = self.read_word().raw;
        let is_letter = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        self.line.sets_variable |= !is_letter && !HARMLESS_VARIABLES.contains(&name.as_str());
        self.line.has_loop = true;
        self.line.loop_variables.push(name);
        self.cursor.skip_blanks();
        if self.read_word().raw != "in" {
            self.mark_unclear("a loop without `in`");
            return true;
        }
        loop {
            self.cursor.skip_blanks();
            self.cursor.meter.count_token();
            match self.cursor.peek() {
                Some(';' | '\n') => {
                    self.cursor.next_raw();
                    return true;
                }
                None | Some('&' | '|' | '<' | '>' | '(' | ')' | '#') => {
                    self.mark_unclear("a loop without `do`");
                    return true;
                }
                Some(_) => {
                    let word = self.read_word();
                    self.line.loop_words.push(word);
                }
            }
        }
    }
}

fn open_block(state: &mut ListState, block: OpenBlock) -> bool {
    state.open(block);
    true
}
