//! The store's contract: the log contains each event once and in order, for any number of processes that write through
//! a store or by SQL. Each story runs on both databases. Behaviour of only one database has its own folder.

mod admissibility;
mod advisors;
mod archive;
mod audit;
mod bytes;
mod checkpoints;
mod clock_skew;
mod contract;
mod copy;
mod definitions;
mod due_index;
mod erasure;
mod feed;
mod first_design;
mod guards;
mod inspect;
mod leases;
mod lists;
mod messages;
mod migrations;
mod newer_events;
mod pending_limits;
mod plans;
mod postgres;
mod presence;
mod queries;
mod reads;
mod search;
mod several_stores;
mod similar;
mod sql_shell;
mod sqlite;
mod turns;
mod uniqueness;
mod view_plans;
