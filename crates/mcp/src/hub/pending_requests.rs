//! The client requests that servers have not answered, and which server may answer each.

use std::collections::HashMap;

/// The most requests that wait for servers.
const MAX_PENDING: usize = 10_000;

/// A client request that a server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingRequest {
    pub(crate) server: usize,
    /// The id as the client wrote it.
    pub(crate) id: String,
    /// The canonical token for its progress.
    pub(crate) progress: Option<String>,
}

/// The client requests that servers have not answered, by their canonical id.
#[derive(Debug, Default)]
pub(crate) struct PendingRequests {
    requests: HashMap<String, PendingRequest>,
    /// The servers that may report progress, by token.
    progress: HashMap<String, usize>,
}

impl PendingRequests {
    /// Adds a request; false if its id is in use, or if there are too many.
    pub(crate) fn begin(&mut self, key: &str, request: PendingRequest) -> bool {
        if self.requests.len() >= MAX_PENDING || self.requests.contains_key(key) {
            return false;
        }
        if let Some(token) = &request.progress {
            self.progress.insert(token.clone(), request.server);
        }
        self.requests.insert(key.to_owned(), request);
        true
    }

    /// Removes a request that this server answers; `None` if it has no such request.
    pub(crate) fn end(&mut self, key: &str, server: usize) -> Option<PendingRequest> {
        self.requests.get(key).filter(|request| request.server == server)?;
        let request = self.requests.remove(key)?;
        if let Some(token) = &request.progress {
            self.progress.remove(token);
        }
        Some(request)
    }

    /// The server that has a request.
    pub(crate) fn server_of(&self, key: &str) -> Option<usize> {
        self.requests.get(key).map(|request| request.server)
    }

    /// Returns true if this server may report progress with this token.
    pub(crate) fn may_report(&self, token: &str, server: usize) -> bool {
        self.progress.get(token) == Some(&server)
    }

    /// Removes and returns the requests to a server.
    pub(crate) fn drain_server(&mut self, server: usize) -> Vec<PendingRequest> {
        let keys: Vec<_> = self
            .requests
            .iter()
            .filter(|(_, request)| request.server == server)
            .map(|(key, _)| key.clone())
            .collect();
        keys.iter().filter_map(|key| self.end(key, server)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_asked_server_may_answer() {
        let mut pending = PendingRequests::default();
        let request =
            |server| PendingRequest { server, id: "1".to_owned(), progress: Some("\"t\"".to_owned()) };
        assert!(pending.begin("1", request(0)));
        assert!(!pending.begin("1", request(1)));
        assert!(pending.may_report("\"t\"", 0) && !pending.may_report("\"t\"", 1));
        assert_eq!(pending.end("1", 1), None);
        assert_eq!(pending.drain_server(0), [request(0)]);
        assert!(!pending.may_report("\"t\"", 0));
    }
}
