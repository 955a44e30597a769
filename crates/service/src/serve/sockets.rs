//! The sockets of `serve`: inherited from the service manager, and from the settings.

use countersign_console::{CliError, CommandContext, CommandExit};
use countersign_server::{BoundListener, ListenAddress, ListenOptions, ServerError};
use listenfd::ListenFd;
use std::io::ErrorKind;

/// The default address.
pub(crate) const DEFAULT_ADDRESS: ([u8; 4], u16) = ([127, 0, 0, 1], 7878);

/// The most attempts to find a port that is free on both loopback addresses.
const MAX_ATTEMPTS: usize = 32;

/// The server sockets.
pub(crate) struct ServerSockets {
    /// Those that the settings or the service manager name.
    pub(crate) named: Vec<BoundListener>,
    /// Those on the other loopback address of the same ports.
    pub(crate) twins: Vec<BoundListener>,
}

/// Binds all sockets. Inherited sockets replace the default address, and add to others.
pub(crate) fn bind_listeners(
    context: &CommandContext,
    listen: &[ListenAddress],
    options: &ListenOptions,
) -> anyhow::Result<ServerSockets> {
    let mut named = inherited(options)?;
    let mut addresses = addresses(context, listen)?;
    if named.is_empty() && addresses.is_empty() {
        addresses.push(ListenAddress::Tcp(DEFAULT_ADDRESS.into()));
    }
    let mut twins = Vec::new();
    for address in &addresses {
        let (listener, twin) = if has_free_port(address) {
            bind_free_port(address, options)?
        } else {
            (BoundListener::bind_with(address, options).map_err(map_listen_error)?, None)
        };
        named.push(listener);
        twins.extend(twin);
    }
    // After all addresses, because one may be the twin of another.
    for listener in &named {
        let is_held = |twin| named.iter().chain(&twins).any(|own| *own.address() == twin);
        if !listener.twin_address().is_some_and(is_held) {
            twins.extend(listener.bind_twin(options).map_err(map_listen_error)?);
        }
    }
    Ok(ServerSockets { named, twins })
}

fn has_free_port(address: &ListenAddress) -> bool {
    matches!(address, ListenAddress::Tcp(address) if address.port() == 0)
}

/// Lets the system choose a port that is free on both loopback addresses.
fn bind_free_port(
    address: &ListenAddress,
    options: &ListenOptions,
) -> anyhow::Result<(BoundListener, Option<BoundListener>)> {
    let mut attempt = 1;
    loop {
        let listener = BoundListener::bind_with(address, options).map_err(map_listen_error)?;
        match listener.bind_twin(options) {
            Ok(twin) => return Ok((listener, twin)),
            Err(ServerError::Bind { why, .. })
                if why.kind() == ErrorKind::AddrInUse && attempt < MAX_ATTEMPTS =>
            {
                attempt += 1;
            }
            Err(error) => return Err(map_listen_error(error)),
        }
    }
}

fn addresses(context: &CommandContext, listen: &[ListenAddress]) -> anyhow::Result<Vec<ListenAddress>> {
    if !listen.is_empty() {
        return Ok(listen.to_vec());
    }
    let Some((named, origin)) = context.settings.listen() else { return Ok(Vec::new()) };
    let read = |named: &String| {
        named.parse().map_err(|why| CliError::usage(format!("{origin} is {named:?}: {why}")).into())
    };
    named.iter().map(read).collect()
}

/// The sockets that systemd (or a compatible service manager) has opened for this process.
fn inherited(options: &ListenOptions) -> anyhow::Result<Vec<BoundListener>> {
    let mut handed = ListenFd::from_env();
    let mut listeners = Vec::new();
    for index in 0..handed.len() {
        // The socket kind is found by trying.
        let listener = if let Ok(Some(socket)) = handed.take_unix_listener(index) {
            BoundListener::inherited_unix(socket)
        } else if let Some(socket) = handed.take_tcp_listener(index)? {
            BoundListener::inherited_tcp(socket, options)
        } else {
            continue;
        };
        listeners.push(listener.map_err(map_listen_error)?);
    }
    Ok(listeners)
}

/// Gives errors that the user can correct their own code and exit code.
fn map_listen_error(error: ServerError) -> anyhow::Error {
    match error {
        ServerError::Unprotected(_) | ServerError::Certificate(_) => {
            CliError::usage(error.to_string()).into()
        }
        ServerError::Bind { ref address, ref why } => {
            let code = match (why.kind(), address) {
                (ErrorKind::AddrInUse, _) => "address_in_use",
                (ErrorKind::NotFound, ListenAddress::Unix(_)) => "no_folder_for_socket",
                _ => return error.into(),
            };
            CliError { exit: CommandExit::FAILED, code, message: error.to_string() }.into()
        }
        other @ ServerError::Io(_) => other.into(),
    }
}
