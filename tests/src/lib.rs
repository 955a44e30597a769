//! Test support: the [`World`] with its agents and people, plain SQL connections, PostgreSQL servers, a proxy that
//! simulates network failures, and seeded random numbers.

#![expect(clippy::missing_panics_doc, reason = "a test helper fails the test with a panic")]

mod authority;
mod layout;
mod outside;
pub mod postgres;
mod proxy;
mod push_device;
mod random;
mod seal;
mod sql;
mod webhook_target;
mod world;

pub use authority::{CertificatePair, TestAuthority};
pub use layout::lay_out;
pub use outside::{ProgramOutput, actor, in_private_mounts};
pub use postgres::Cluster;
pub use proxy::{ConnectionCut, Proxy};
pub use push_device::PushSubscriber;
pub use random::Random;
pub use seal::{LS, append_sealed, messages, statement};
pub use sql::{SqlConnection, open_file, run_psql, run_sql_on, run_sqlite3};
pub use webhook_target::{ReceivedMessage, TargetAnswer, WebhookTarget};
pub use world::{
    Action, Database, Embedded, Outcome, Persona, PersonaCaller, Proposal, Service, ToStore, Transport,
    World, code,
    http::{
        EventStreamReader, Http, HttpAnswer, HttpWorld, ToServer, gate_of, name_hash, name_hashes,
        new_client, new_gate, over_http, server_options, trusting_options,
    },
    in_time, in_world, in_world_on,
    processes::{Player, Process, ProcessEnd, ProcessWorld, Processes, Programs, Server},
    within_the_limit,
};
