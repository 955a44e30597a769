//! The log's tools: list them, record the definitions that agents meet, and accept one.

use super::{EmbeddedService, lists::page_limit};
use crate::{
    GateFailure,
    view::{view_tool, view_tool_details},
};
use countersign_api::{self as api, LogFilter};
use countersign_approvals::{
    CommandCaller, CommandTarget, LogCommand, Refused,
    access::VisibleThreads,
    pinned_tools::{seen_definition, tool_of},
    registry::MAX_DEFINED,
    tool_directory::ToolDirectory,
};
use countersign_events::{Body, DefinitionAccepted, Json, SeenDefinition, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use std::sync::Arc;

impl EmbeddedService {
    /// The log's tools. A caller who sees some threads gets those that they have called, so a page may be short.
    pub(crate) async fn tools(
        &self,
        threads: &VisibleThreads,
        page: api::PageQuery,
    ) -> Result<api::ToolPage, GateFailure> {
        let directory = self.read_tools().await?;
        let first = |seq: Option<i64>| seq.filter(|seq| *seq > page.after);
        let mut records: Vec<_> = directory
            .iter()
            .filter_map(|(name, record)| {
                let seq = first(record.definitions.first().map(|seen| seen.seq))?;
                Some((seq, name, record))
            })
            .collect();
        records.sort_by_key(|(seq, ..)| *seq);
        let limit = page_limit(page);
        let next = if records.len() > limit { records.get(limit - 1).map(|(seq, ..)| *seq) } else { None };
        let mut tools = Vec::new();
        for (_, name, record) in records.into_iter().take(limit) {
            if self.has_called(threads, name).await? {
                tools.extend(view_tool(name, record, &directory));
            }
        }
        Ok(api::ToolPage { tools, next })
    }

    pub(crate) async fn tool(
        &self,
        threads: &VisibleThreads,
        name: &ToolName,
    ) -> Result<api::ToolDetails, GateFailure> {
        let directory = self.read_tools().await?;
        if !self.has_called(threads, name).await? {
            return Err(Refused::UnknownTool { tool: name.clone() }.into());
        }
        let details = directory.get(name).and_then(|record| view_tool_details(name, record, &directory));
        details.ok_or_else(|| Refused::UnknownTool { tool: name.clone() }.into())
    }

    /// Whether these threads are all threads, or one of them has a tool call.
    async fn has_called(&self, threads: &VisibleThreads, tool: &ToolName) -> Result<bool, GateFailure> {
        if threads.has_all_threads() {
            return Ok(true);
        }
        let filter = LogFilter { tool: Some(tool.clone()), ..LogFilter::default() };
        let mut page = api::PageQuery { after: 0, limit: 1 };
        loop {
            let found = self.calls(&filter, threads, None, page).await?;
            match found.next {
                _ if !found.calls.is_empty() => return Ok(true),
                // The search is bounded, and continues there.
                Some(next) => page.after = next,
                None => return Ok(false),
            }
        }
    }

    pub(crate) async fn define_tools(
        &self,
        by: &CommandCaller,
        request: &api::DefineToolsRequest,
    ) -> Result<api::DefineToolsReport, GateFailure> {
        if request.tools.len() > MAX_DEFINED {
            let why = format!("send up to {MAX_DEFINED} tools at once");
            return Err(GateFailure::invalid("tools", &why));
        }
        for tool in &request.tools {
            let json = [tool.definition.input_schema.as_ref(), tool.annotations.as_ref()];
            for json in json.into_iter().flatten() {
                json.admit().map_err(|why| Refused::bad_json("tools", &why))?;
            }
        }
        let execute = |policy: Arc<Policy>| {
            let seen = request.tools.iter().filter_map(|tool| mask(tool, &policy));
            let command = LogCommand::Record(seen.map(Body::DefinitionSeen).collect());
            self.execute(self.envelope(by, CommandTarget::Log, command, policy))
        };
        let outcome = self.execute_judged(execute).await?;
        let approvals = match &request.thread_id {
            Some(thread) => self.approvals_of(by, thread, request)?,
            None => Vec::new(),
        };
        let mut report = api::DefineToolsReport { approvals, recorded: Vec::new(), changed: Vec::new() };
        for event in &outcome.events {
            let is_first = event.event.kind == countersign_events::EventType::DefinitionSeen;
            let list = if is_first { &mut report.recorded } else { &mut report.changed };
            list.extend(tool_of(&event.body).cloned());
        }
        Ok(report)
    }

    /// What the active policy says about each tool.
    fn approvals_of(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        request: &api::DefineToolsRequest,
    ) -> Result<Vec<api::ToolApproval>, GateFailure> {
        let policy = self.policy.policy()?;
        let arguments = Json::parse("{}").map_err(|why| Refused::bad_json("arguments", &why))?;
        let approval = |tool: &api::MetTool| {
            let definition = tool.definition.clone().into();
            let subject = JudgedCall {
                thread,
                principal: &by.principal,
                tool: &tool.name,
                place: None,
                arguments: &arguments,
                redacted: &[],
                annotations: tool.annotations.as_ref(),
                impact: None,
                definition: Some(&definition),
            };
            match policy.verdict_on_tool(&subject) {
                Some(Verdict::Allow) => api::ToolApproval::Allow,
                Some(Verdict::Ask) => api::ToolApproval::Ask,
                Some(Verdict::Block) => api::ToolApproval::Block,
                None => api::ToolApproval::Depends,
            }
        };
        Ok(request.tools.iter().map(approval).collect())
    }

    pub(crate) async fn accept_definition(
        &self,
        by: &CommandCaller,
        name: &ToolName,
        request: &api::AcceptDefinitionRequest,
    ) -> Result<api::ToolDetails, GateFailure> {
        let execute = |policy: Arc<Policy>| {
            let redactor = policy.redactor();
            let mask = |text: &String| redactor.redact_text(text).unwrap_or_else(|| text.clone());
            let accepted = DefinitionAccepted {
                tool: name.clone(),
                definition_hash: request.definition_hash,
                comment: request.comment.as_ref().map(mask),
            };
            let command = LogCommand::Record(vec![Body::DefinitionAccepted(accepted)]);
            self.execute(self.envelope(by, CommandTarget::Log, command, policy))
        };
        self.execute_judged(execute).await?;
        self.tool(&VisibleThreads::default(), name).await
    }

    pub(super) async fn read_tools(&self) -> Result<Arc<ToolDirectory>, GateFailure> {
        Ok(self.known_tools.read(&self.store).await?)
    }
}

/// The definition as the log keeps it; `None` if there is nothing to keep.
fn mask(tool: &api::MetTool, policy: &Policy) -> Option<SeenDefinition> {
    let definition = tool.definition.clone().into();
    seen_definition(&tool.name, &definition, tool.annotations.as_ref(), policy.redactor())
}
