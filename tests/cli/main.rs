//! The real command in a folder of its own: what it prints, and the code it exits with.

mod decide;
mod demo;
mod desk;
mod help;
mod hide;
mod json;
mod pending;
mod run;
mod serve;
mod show;
mod target;
mod terminal;
mod tmux;
mod verify;
mod watch;
mod watch_life;
mod watch_plain;
