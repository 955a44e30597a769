//! The store's promise, told as stories: whoever writes, by whatever means, from however many
//! processes, the log says what happened, once, in order, and for ever.

mod by_hand;
mod bytes;
mod contract;
mod damage;
mod feed;
mod guards;
mod handles;
mod lists;
mod migrations;
mod opening;
mod plans;
mod postgres;
mod reads;
mod search;
mod trouble;
