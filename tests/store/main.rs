//! The store's contract: the log contains each event once and in order, whatever number of processes write it by
//! whatever means. Each story runs on each database; behaviour of only one of them has its own folder.

mod admissibility;
mod bytes;
mod contract;
mod copy;
mod due_index;
mod feed;
mod first_design;
mod guards;
mod lists;
mod migrations;
mod plans;
mod postgres;
mod reads;
mod search;
mod several_stores;
mod sql_shell;
mod sqlite;
