//! The callers that this server has seen, with the programs that they use: their last request, open streams and waits.
//! Nothing depends on this list: it tells people who is connected.

use axum::http::{HeaderMap, header};
use countersign_api::ConnectedClient;
use countersign_approvals::access::{Right, TokenHolder};
use countersign_events::{Principal, Timestamp};
use countersign_store::Clock;
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU32, Ordering},
    },
    time::Duration,
};

/// The most programs that are listed. Later ones are left out while the others are in use.
const MAX_CLIENTS: usize = 1_000;

/// A program that was not seen for this time is no longer listed.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(24);

/// The longest name of a program, in characters.
const MAX_NAME: usize = 64;

/// The programs of all callers.
#[derive(Debug)]
pub(crate) struct ConnectedClients {
    clock: Clock,
    started_at: Timestamp,
    hasher: RandomState,
    clients: Mutex<HashMap<u64, Arc<ClientActivity>>>,
}

/// One program of one caller.
#[derive(Debug)]
pub(crate) struct ClientActivity {
    principal: Principal,
    /// The principal that reads. It differs from `principal` in solo mode only.
    reader: Principal,
    client: Option<String>,
    last_request: AtomicI64,
    streams: AtomicU32,
    waits: AtomicU32,
}

/// A lasting use of the server, such as a stream. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct OpenUse {
    activity: Arc<ClientActivity>,
    kind: UseKind,
}

/// The kind of lasting use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum UseKind {
    Stream,
    Wait,
}

impl ConnectedClients {
    pub(crate) fn new(clock: Clock) -> Self {
        let started_at = clock.now();
        Self { clock, started_at, hasher: RandomState::new(), clients: Mutex::default() }
    }

    /// The time at which the server started.
    pub(crate) const fn started_at(&self) -> Timestamp {
        self.started_at
    }

    /// Notes a request of this caller, and returns the program that sent it.
    pub(crate) fn note_request(&self, holder: &TokenHolder, headers: &HeaderMap) -> Arc<ClientActivity> {
        let agent = headers.get(header::USER_AGENT);
        let now = self.clock.now();
        let key = self.hasher.hash_one((&holder.token, &holder.name, &holder.roles, agent));
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = clients.get(&key) {
            known.last_request.store(now.as_millis(), Ordering::Relaxed);
            return Arc::clone(known);
        }
        let right = if holder.may(Right::Execute) { Right::Execute } else { Right::Read };
        let activity = Arc::new(ClientActivity {
            principal: holder.principal(right),
            reader: holder.principal(Right::Read),
            client: agent.and_then(|agent| agent.to_str().ok()).and_then(program_name),
            last_request: AtomicI64::new(now.as_millis()),
            streams: AtomicU32::new(0),
            waits: AtomicU32::new(0),
        });
        if clients.len() >= MAX_CLIENTS {
            let since = now.before(Duration::from_hours(1));
            clients.retain(|_, client| client.is_open() || client.last_request_at() >= since);
        }
        if clients.len() < MAX_CLIENTS {
            clients.insert(key, Arc::clone(&activity));
        }
        activity
    }

    /// Lists the programs that were seen within a day, the last one first. A caller's tokens with the same program are
    /// one entry.
    pub(crate) fn list(&self) -> Vec<ConnectedClient> {
        let since = self.clock.now().before(FORGOTTEN_AFTER);
        let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listed: HashMap<(Principal, Option<String>), ConnectedClient> = HashMap::new();
        for client in clients.values().filter(|client| client.is_open() || client.last_request_at() >= since)
        {
            let one = client.view();
            let key = (one.principal.clone(), one.client.clone());
            match listed.get_mut(&key) {
                Some(known) => {
                    known.last_request_at = known.last_request_at.max(one.last_request_at);
                    known.streams += one.streams;
                    known.waits += one.waits;
                }
                None => drop(listed.insert(key, one)),
            }
        }
        drop(clients);
        let mut listed: Vec<_> = listed.into_values().collect();
        listed.sort_by(|a, b| {
            let order = |client: &ConnectedClient| (client.principal.clone(), client.client.clone());
            b.last_request_at.cmp(&a.last_request_at).then_with(|| order(a).cmp(&order(b)))
        });
        listed
    }
}

impl ClientActivity {
    /// Counts a stream or a wait of this program until the returned guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>, kind: UseKind) -> OpenUse {
        self.count(kind).fetch_add(1, Ordering::Relaxed);
        OpenUse { activity: Arc::clone(self), kind }
    }

    const fn count(&self, kind: UseKind) -> &AtomicU32 {
        match kind {
            UseKind::Stream => &self.streams,
            UseKind::Wait => &self.waits,
        }
    }

    fn is_open(&self) -> bool {
        self.streams.load(Ordering::Relaxed) > 0 || self.waits.load(Ordering::Relaxed) > 0
    }

    fn last_request_at(&self) -> Timestamp {
        Timestamp::from_millis(self.last_request.load(Ordering::Relaxed))
    }

    fn view(&self) -> ConnectedClient {
        let streams = self.streams.load(Ordering::Relaxed);
        // A caller in solo mode is both; people read streams.
        let principal = if streams > 0 { &self.reader } else { &self.principal };
        ConnectedClient {
            principal: principal.clone(),
            client: self.client.clone(),
            last_request_at: self.last_request_at(),
            streams,
            waits: self.waits.load(Ordering::Relaxed),
        }
    }
}

impl Drop for OpenUse {
    fn drop(&mut self) {
        self.activity.count(self.kind).fetch_sub(1, Ordering::Relaxed);
    }
}

/// A program's name from its `User-Agent`: the first word, and for Countersign itself also the command. Browsers say
/// much about the machine, which no reader needs.
fn program_name(agent: &str) -> Option<String> {
    let agent = agent.trim();
    if agent.starts_with("Mozilla/") {
        return Some("browser".to_owned());
    }
    let name = match agent.split_once(')') {
        Some((command, _)) if agent.starts_with("countersign/") => format!("{command})"),
        _ => agent.split(' ').next().unwrap_or_default().to_owned(),
    };
    Some(name.chars().take(MAX_NAME).collect()).filter(|name: &String| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(agent: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::USER_AGENT, agent.parse().expect("a header"))])
    }

    fn caller(name: &str) -> TokenHolder {
        TokenHolder::solo(name)
    }

    #[test]
    fn program_name_is_short() {
        let name = |agent| program_name(agent).unwrap_or_default();
        assert_eq!(name("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"), "browser");
        assert_eq!(name("countersign-python/0.1.0 httpx/0.28"), "countersign-python/0.1.0");
        assert_eq!(name("countersign/0.1.0 (watch) more"), "countersign/0.1.0 (watch)");
        assert_eq!(name(&"x".repeat(500)).len(), MAX_NAME);
        assert_eq!(program_name("  "), None);
    }

    #[test]
    fn open_uses_are_counted_until_they_end() {
        let (clock, hand) = Clock::manual(Timestamp::from_millis(1_800_000_000_000));
        let clients = ConnectedClients::new(clock);
        let watch = clients.note_request(&caller("ada"), &named("countersign/0.1.0 (watch)"));
        let stream = watch.begin(UseKind::Stream);
        hand.advance(FORGOTTEN_AFTER + Duration::from_secs(1));
        let listed = clients.list();
        assert_eq!(listed.len(), 1, "a stream stays listed");
        assert_eq!((listed[0].streams, listed[0].waits), (1, 0));
        drop(stream);
        assert!(clients.list().is_empty(), "it was not seen for a day");
    }

    #[test]
    fn number_of_programs_is_limited() {
        let (clock, hand) = Clock::manual(Timestamp::from_millis(1_800_000_000_000));
        let clients = ConnectedClients::new(clock);
        for number in 0..MAX_CLIENTS + 10 {
            clients.note_request(&caller("ada"), &named(&format!("program-{number}")));
        }
        assert_eq!(clients.list().len(), MAX_CLIENTS);
        hand.advance(Duration::from_hours(2));
        clients.note_request(&caller("ada"), &named("a-new-one"));
        let names: Vec<_> = clients.list().into_iter().filter_map(|client| client.client).collect();
        assert_eq!(names, ["a-new-one"]);
    }
}
