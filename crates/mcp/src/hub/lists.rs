//! The lists of all servers as one: tools, prompts, resources and templates. The hub reads all pages of each server and
//! answers with one page, because many clients read only the first.

use super::{
    hub_core::HubCore,
    merge::hub_info,
    names::{listed_prompt_name, listed_tool_name},
    server_link::LinkFailure,
};
use countersign_events::Json;
use countersign_json_rpc::{JsonObject, range_of, splice};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The most pages and items that are read of one server.
const MAX_PAGES: usize = 100;
const MAX_ITEMS: usize = 10_000;

/// A kind of list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListKind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

impl ListKind {
    const ALL: [Self; 4] = [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The kind that a method lists.
    pub(crate) fn of_method(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.method() == method)
    }

    const fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    const fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources | Self::Templates => "resources",
        }
    }
}

/// The list of one server, or of all.
#[derive(Debug, Default)]
struct GatheredList {
    items: Vec<String>,
    /// The time in milliseconds for which a client may keep the list; none from servers with sessions.
    ttl: Option<u64>,
    is_private: bool,
}

impl HubCore {
    /// Answers a request for a list.
    pub(crate) async fn answer_list(self: Arc<Self>, id: Json, kind: ListKind, has_cursor: bool) {
        if has_cursor {
            let why = "unknown cursor: the gateway answers with the whole list";
            return self.send_error(&id, -32602, why).await;
        }
        self.wait_for_servers().await;
        match self.gather_list(kind).await {
            Ok(list) => {
                let scope = if list.is_private { "private" } else { "public" };
                let added = format!(
                    ",\"resultType\":\"complete\",\"ttlMs\":{},\"cacheScope\":\"{scope}\",\"_meta\":{{\
                     \"io.modelcontextprotocol/serverInfo\":{}}}",
                    list.ttl.unwrap_or(0),
                    hub_info()
                );
                let added = if self.has_stateless_client() { added.as_str() } else { "" };
                let result = format!("{{\"{}\":[{}]{added}}}", kind.member(), list.items.join(","));
                self.send_result(&id, &result).await;
            }
            Err(why) => self.send_error(&id, -32603, &why.to_string()).await,
        }
    }

    /// Gathers the list of all servers. Servers that fail are left out, unless all do.
    async fn gather_list(self: &Arc<Self>, kind: ListKind) -> Result<GatheredList, LinkFailure> {
        let with_list = self.ready_servers().into_iter();
        let with_list = with_list.filter(|(_, ready)| ready.capability(kind.capability()).is_some());
        let readings: Vec<_> = with_list
            .map(|(index, _)| {
                let core = Arc::clone(self);
                (index, tokio::spawn(async move { core.read_list(index, kind).await }))
            })
            .collect();
        let mut gathered = GatheredList { ttl: Some(u64::MAX), ..GatheredList::default() };
        let (mut failure, mut has_answer) = (None, readings.is_empty());
        for (index, reading) in readings {
            match reading.await.unwrap_or(Err(LinkFailure::Gone)) {
                Ok(list) => {
                    has_answer = true;
                    gathered.items.extend(list.items);
                    gathered.ttl = Some(gathered.ttl.unwrap_or(0).min(list.ttl.unwrap_or(0)));
                    gathered.is_private |= list.is_private;
                }
                // Templates are optional for servers with resources.
                Err(LinkFailure::Refused(..)) if kind == ListKind::Templates => has_answer = true,
                Err(why) => {
                    self.note(index, &why.to_string());
                    failure = Some(why);
                }
            }
        }
        if gathered.items.is_empty() {
            gathered.ttl = Some(0);
        }
        match failure {
            Some(failure) if !has_answer => Err(failure),
            _ => Ok(gathered),
        }
    }

    async fn read_list(&self, index: usize, kind: ListKind) -> Result<GatheredList, LinkFailure> {
        let link = self.servers.get(index).ok_or(LinkFailure::Gone)?;
        let mut list = GatheredList::default();
        let mut cursor: Option<String> = None;
        for page in 0..MAX_PAGES {
            let params = cursor.as_deref().map_or_else(
                || "{}".to_owned(),
                |cursor| format!("{{\"cursor\":{}}}", Json::string(cursor).as_str()),
            );
            let text = link.request(kind.method(), &params, self.options.answer_limit).await?;
            let Some(result) = JsonObject::read(&text) else { break };
            let items = result.get_as::<Vec<&RawValue>>(kind.member()).unwrap_or_default();
            let room = MAX_ITEMS.saturating_sub(list.items.len());
            list.items
                .extend(items.iter().take(room).filter_map(|item| self.adopt_item(index, kind, item.get())));
            let ttl = result.get_as("ttlMs").unwrap_or(0);
            list.ttl = Some(list.ttl.map_or(ttl, |known: u64| known.min(ttl)));
            list.is_private |= result.get_as::<String>("cacheScope").as_deref() != Some("public");
            cursor = result.get_as("nextCursor");
            if cursor.is_none() {
                return Ok(list);
            }
            if items.len() > room || page + 1 == MAX_PAGES {
                self.note(index, &format!("{} has too many entries; the rest is left out", kind.method()));
                break;
            }
        }
        Ok(list)
    }

    /// Gives an item its name in the common name space, and remembers whose it is.
    fn adopt_item(&self, index: usize, kind: ListKind, item: &str) -> Option<String> {
        let object = JsonObject::read(item)?;
        let server = &self.servers.get(index)?.name;
        let rename = |new: &str| {
            let place = object.get("name").map(|part| range_of(item, part))?;
            Some(splice(item, place, Json::string(new).as_str()))
        };
        // A client that reads the other one of two names would show another tool than the one that is judged.
        object.check_keys(&["name", "uri", "uriTemplate"]).ok()?;
        match kind {
            ListKind::Tools => {
                let name: String = object.get_as("name")?;
                let listed = listed_tool_name(server, &name);
                if listed != format!("{}__{name}", server.as_str()) {
                    self.state().changed_names.insert(listed.clone(), (index, name));
                }
                rename(&listed)
            }
            ListKind::Prompts => {
                let name: String = object.get_as("name")?;
                rename(&listed_prompt_name(server, &name))
            }
            ListKind::Resources => {
                let uri: String = object.get_as("uri")?;
                self.state().resources.add(&uri, index);
                Some(item.to_owned())
            }
            ListKind::Templates => {
                let template: String = object.get_as("uriTemplate")?;
                self.state().resources.add_template(&template, index);
                Some(item.to_owned())
            }
        }
    }

    /// Reads the lists that tell which server has a resource, or a tool with a changed name.
    pub(crate) async fn learn_names(self: &Arc<Self>) {
        for kind in [ListKind::Resources, ListKind::Templates] {
            let is_known = self.state().resources.is_complete;
            if !is_known {
                // Servers that fail are told to the user.
                let _ = self.gather_list(kind).await;
            }
        }
        self.state().resources.is_complete = true;
    }

    /// Reads the tools of all servers, for names that were changed.
    pub(crate) async fn learn_tools(self: &Arc<Self>) {
        let _ = self.gather_list(ListKind::Tools).await;
    }

    /// The server that has a resource; if none lists it, the only one with resources.
    pub(crate) async fn resource_owner(self: &Arc<Self>, uri: &str) -> Option<usize> {
        if let Some(owner) = self.known_owner(uri) {
            return Some(owner);
        }
        self.learn_names().await;
        self.known_owner(uri)
    }

    /// The server that has a resource, if no list has to be read for it.
    pub(crate) fn known_owner(&self, uri: &str) -> Option<usize> {
        if let Some(owner) = self.state().resources.owner(uri) {
            return Some(owner);
        }
        let servers = self.ready_servers().into_iter();
        let mut with_resources = servers.filter(|(_, ready)| ready.capability("resources").is_some());
        let first = with_resources.next()?;
        with_resources.next().is_none().then_some(first.0)
    }
}
