//! The store's promise, told as stories: whoever writes, by whatever means, from however many
//! processes, the log says what happened, once, in order, and for ever. A story is told on each database;
//! what only one of them can do or suffer has a folder of its own.

mod admissibility;
mod by_hand;
mod bytes;
mod contract;
mod copy;
mod deciding;
mod feed;
mod first_design;
mod guards;
mod handles;
mod lists;
mod migrations;
mod plans;
mod postgres;
mod reads;
mod search;
mod sqlite;
