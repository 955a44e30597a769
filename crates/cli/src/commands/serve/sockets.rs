//! Where `serve` listens: on what the service manager hands over, and on what is said.

use crate::{
    args::{Args, Serve},
    exit::{Exit, Said},
    settings::Key,
};
use countersign_server::{Address, Error, Listener};
use listenfd::ListenFd;
use std::io::ErrorKind;

/// Where it listens if nothing is said.
const USUAL: ([u8; 4], u16) = ([127, 0, 0, 1], 7878);

/// Every socket, bound. What is inherited takes the place of the usual address, and comes beside others.
pub(super) fn listeners(args: &Args, serve: &Serve) -> anyhow::Result<Vec<Listener>> {
    let mut listeners = inherited()?;
    let mut addresses = addresses(args, serve)?;
    if listeners.is_empty() && addresses.is_empty() {
        addresses.push(Address::Tcp(USUAL.into()));
    }
    let shared = serve.reuse_port || args.settings.switch(Key::ReusePort).unwrap_or(false);
    for address in &addresses {
        listeners.push(Listener::bind(address, shared).map_err(as_usage)?);
    }
    Ok(listeners)
}

fn addresses(args: &Args, serve: &Serve) -> anyhow::Result<Vec<Address>> {
    if !serve.listen.is_empty() {
        return Ok(serve.listen.clone());
    }
    let Some((named, origin)) = args.settings.listen() else { return Ok(Vec::new()) };
    let read = |named: &String| {
        named.parse().map_err(|why| Said::usage(format!("{origin} is {named:?}, and {why}")).into())
    };
    named.iter().map(read).collect()
}

/// The sockets that systemd, or whatever speaks as it does, has opened for this process.
fn inherited() -> anyhow::Result<Vec<Listener>> {
    let mut handed = ListenFd::from_env();
    let mut listeners = Vec::new();
    for index in 0..handed.len() {
        // One is either of the two, and only trying tells which.
        let listener = if let Ok(Some(socket)) = handed.take_unix_listener(index) {
            Listener::inherited_unix(socket)
        } else if let Some(socket) = handed.take_tcp_listener(index)? {
            Listener::inherited_tcp(socket)
        } else {
            continue;
        };
        listeners.push(listener.map_err(as_usage)?);
    }
    Ok(listeners)
}

/// What whoever started the server can set right. An address that others can reach is a slip of theirs.
fn as_usage(error: Error) -> anyhow::Error {
    match error {
        Error::NotLoopback(_) => Said::usage(error.to_string()).into(),
        Error::Bind { ref address, ref why } => {
            let code = match (why.kind(), address) {
                (ErrorKind::AddrInUse, _) => "address_in_use",
                (ErrorKind::NotFound, Address::Unix(_)) => "no_folder_for_socket",
                _ => return error.into(),
            };
            Said { exit: Exit::FAILED, code, message: error.to_string() }.into()
        }
        other => other.into(),
    }
}
