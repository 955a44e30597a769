//! The real command in a folder of its own: what it prints, and the code it exits with.

mod about;
mod config;
mod decide;
mod desk;
mod doctor;
mod help;
mod hide;
mod json;
mod lists;
mod log;
mod pending;
mod remote;
mod run;
mod serve;
mod settings;
mod several;
mod show;
mod stats;
mod target;
mod terminal;
mod threads;
mod tmux;
mod traces;
mod verify;
mod width;
