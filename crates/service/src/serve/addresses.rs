//! Server addresses, for clients and for browsers.

use countersign_server::{BoundListener, NetworkAccess};

/// Server addresses.
pub(super) struct ServerAddresses {
    /// Those at which clients of this machine reach it.
    pub(super) urls: Vec<String>,
    /// The one at which browsers open its pages; `None` for a server that no browser reaches.
    pub(super) pages: Option<String>,
}

impl ServerAddresses {
    pub(super) fn new(listeners: &[BoundListener], access: &NetworkAccess) -> Self {
        let public = access.public_urls.first().cloned();
        let pages = public.or_else(|| listeners.iter().find_map(BoundListener::page_origin));
        let urls: Vec<_> = listeners.iter().map(BoundListener::url).collect();
        let port = || urls.iter().find(|url| !url.starts_with("unix:")).cloned();
        Self { pages: pages.map(|origin| origin.to_string()).or_else(port), urls }
    }
}
