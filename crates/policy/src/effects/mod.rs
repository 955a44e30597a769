//! What a call does to things outside of the agent: to files, hosts, Git references, clusters and databases.
//!
//! Effects are read from the arguments of known tools, from command lines, patches and SQL. What is certain is told apart from
//! what may be: a word that merely looks like a path, a folder that may contain a file, code that is not read.

mod arguments;
mod call_effects;
mod git;
mod hosts;
mod kubernetes;
mod reader;
mod source;
mod sql;
mod word_list;
mod words;

pub(crate) use call_effects::{CallEffects, EFFECT_LISTS};
pub(crate) use git::GitChange;
pub(crate) use reader::read_effects;
pub(crate) use source::EffectSource;
pub(crate) use sql::SqlKind;
pub(crate) use words::describe_file;
