//! What a call does to things outside of the agent: to files, hosts, Git references, clusters, databases, packages, processes and
//! clouds.
//!
//! Effects are read from the arguments of known tools, from command lines, patches and SQL. What is certain is told apart from
//! what may be: a word that merely looks like a path, a folder that may contain a file, code that is not read.

mod argument_schema;
mod arguments;
mod branch_files;
mod call_effects;
mod cloud;
mod cloud_programs;
mod cluster_programs;
mod cluster_use;
mod command_effects;
mod command_line;
mod current_branch;
mod database_programs;
mod database_tools;
mod git;
mod git_files;
mod git_options;
mod git_tools;
mod hosting;
mod hosts;
mod kubernetes;
mod named_things;
mod package_managers;
mod packages;
mod process_programs;
mod processes;
mod reader;
mod records;
mod source;
mod sql;
mod sql_clients;
mod sql_names;
mod sql_text;
mod texts;
mod tool_name;
mod typed_text;
mod word_list;
mod words;

pub(crate) use call_effects::{CallEffects, EFFECT_LISTS};
pub(crate) use cloud::{CloudChange, CloudUse, providers};
pub(crate) use cluster_use::KubernetesUse;
pub(crate) use git::{GitChange, GitUse};
pub(crate) use hosts::HostUse;
pub(crate) use packages::{PackageChange, PackageUse, ecosystems};
pub(crate) use processes::{PROCESS_KINDS, ProcessChange, ProcessUse};
pub(crate) use reader::read_effects;
pub(crate) use source::EffectSource;
pub(crate) use sql::{SqlKind, SqlUse};
pub(crate) use tool_name::ToolNameWords;
pub(crate) use words::describe_file;
