//! Choosing the server for a request: by a name prefix, by a resource address, or by a task id.

use super::{
    hub_core::HubCore,
    hub_frame::HubFrame,
    names::{may_be_changed, split_listed_name},
};
use countersign_events::Json;
use countersign_json_rpc::{JsonObject, range_of};

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestRoute {
    /// To this server, as this text.
    Server(usize, String),
    /// The server lists tell.
    Unlisted,
    /// To none, for this reason.
    Refused(i32, String),
}

impl HubCore {
    /// Chooses the server for a request.
    pub(crate) fn route_request(&self, frame: &HubFrame<'_>, text: &str) -> RequestRoute {
        let method = frame.method.as_deref().unwrap_or_default();
        if let Some(part) = frame.param("ref") {
            return self.route_reference(frame, text, part);
        }
        if let (Some(name), Some(part)) = (frame.text_param("name"), frame.param("name")) {
            return self.route_name(&name, |own| frame.with(part, own), method == "tools/call");
        }
        if let Some(uri) = frame.text_param("uri") {
            return self.route_resource(&uri, text);
        }
        if let Some(task) = frame.text_param("taskId") {
            let owner = self.state().tasks.get(&task).copied();
            return owner.map_or_else(
                || RequestRoute::Refused(-32602, format!("no server has the task {task:?}")),
                |server| RequestRoute::Server(server, text.to_owned()),
            );
        }
        match self.ready_servers()[..] {
            [(only, _)] => RequestRoute::Server(only, text.to_owned()),
            _ => RequestRoute::Refused(
                -32601,
                format!("the gateway has several servers, and cannot tell which one {method:?} is for"),
            ),
        }
    }

    fn route_name(&self, name: &str, rename: impl Fn(&str) -> String, is_tool: bool) -> RequestRoute {
        if is_tool {
            let changed = self.state().changed_names.get(name).cloned();
            if let Some((server, own)) = changed {
                return RequestRoute::Server(server, rename(Json::string(&own).as_str()));
            }
        }
        let unknown = || {
            let servers: Vec<_> = self.servers.iter().map(|link| link.name.as_str()).collect();
            let why =
                format!("unknown name {name:?}: it must begin with one of {}, and __", servers.join(", "));
            RequestRoute::Refused(-32602, why)
        };
        let Some((server, own)) = split_listed_name(name) else { return unknown() };
        let Some(index) = self.find_server(server) else { return unknown() };
        if is_tool && may_be_changed(name) {
            return RequestRoute::Unlisted;
        }
        RequestRoute::Server(index, rename(Json::string(own).as_str()))
    }

    fn route_resource(&self, uri: &str, text: &str) -> RequestRoute {
        match self.known_owner(uri) {
            Some(server) => RequestRoute::Server(server, text.to_owned()),
            None if self.state().resources.is_complete => {
                // The code of "resource not found" changed with 2026-07-28.
                let code = if self.has_stateless_client() { -32602 } else { -32002 };
                RequestRoute::Refused(code, format!("no server lists the resource {uri:?}"))
            }
            None => RequestRoute::Unlisted,
        }
    }

    /// Routes a completion for a prompt or template argument.
    fn route_reference(&self, frame: &HubFrame<'_>, text: &str, part: &str) -> RequestRoute {
        let reference = JsonObject::read(part);
        let reference = reference.filter(|reference| reference.check_keys(&["name", "uri"]).is_ok());
        let Some(reference) = reference else {
            return RequestRoute::Refused(
                -32602,
                "params.ref must name a prompt or a resource once".to_owned(),
            );
        };
        if let Some(uri) = reference.get_as::<String>("uri") {
            return self.route_resource(&uri, text);
        }
        match (reference.get_as::<String>("name"), reference.get("name")) {
            (Some(name), Some(place)) => {
                let place = range_of(part, place);
                let rename = |own: &str| {
                    let reference = countersign_json_rpc::splice(part, place.clone(), own);
                    frame.with(part, &reference)
                };
                self.route_name(&name, rename, false)
            }
            _ => RequestRoute::Refused(-32602, "params.ref must name a prompt or a resource".to_owned()),
        }
    }

    /// Routes a request again after the lists were read. A name that only looks changed is that of a tool.
    pub(crate) fn route_listed(&self, frame: &HubFrame<'_>, text: &str) -> RequestRoute {
        let route = self.route_request(frame, text);
        let (Some(name), Some(part)) = (frame.text_param("name"), frame.param("name")) else { return route };
        match (route, split_listed_name(&name)) {
            (RequestRoute::Unlisted, Some((server, own))) => match self.find_server(server) {
                Some(index) => RequestRoute::Server(index, frame.with(part, Json::string(own).as_str())),
                None => RequestRoute::Refused(-32602, format!("unknown name {name:?}")),
            },
            (route, _) => route,
        }
    }
}
