//! The proposed call, and the facts about its tool.

use crate::{CallId, ErasedTexts, Json, Place, RecordedEffect, Sha256, ToolName, Verdict};
use serde::{Deserialize, Serialize};

/// `TOOL_CALL`: an agent's wish to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The call's id, from the model.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// The arguments, exactly as proposed; `null` if they were erased.
    pub arguments: Json,
    /// SHA-256 of the arguments' canonical form.
    pub arguments_hash: Sha256,
    /// Where the call runs, if the proposer said so. An approval holds only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Json>,
    /// The impact that the agent claims, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Json>,
    /// The agent's description of its purpose, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The tool's own definition, if the proposer sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<ToolDefinition>,
    /// SHA-256 of the canonical form of definition and annotations: what was looked at when it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
    /// The earlier call of the same agent that this one replaces: its unused approval may move here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<CallId>,
    /// Where in the arguments something was masked before they were written: JSON pointers (RFC 6901). The
    /// hash is over the arguments as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// What the call does, as far as its masked arguments show it. Earlier versions recorded none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<RecordedEffect>,
    /// The hashes of erased content, if any was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}

/// The definition that a tool gives of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"description": "Runs a command", "inputSchema": {"type": "object"}, "needsApproval": true}))))]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// The tool's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments, which edited ones must satisfy too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub input_schema: Option<Json>,
    /// Whether the tool itself wants people to be asked about this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<bool>,
}

impl ToolDefinition {
    /// The hash that identifies a tool definition across calls: as [`hash`](Self::hash), without `needsApproval`, which
    /// a tool sets per call. `None` if there is neither a description nor a schema.
    #[must_use]
    pub fn identity(&self, annotations: Option<&Json>) -> Option<Sha256> {
        if self.description.is_none() && self.input_schema.is_none() {
            return None;
        }
        Self::hash(Some(&Self { needs_approval: None, ..self.clone() }), annotations)
    }

    /// SHA-256 of the canonical form of `{"annotations": …, "definition": …}`, each where it is there. `None`
    /// if neither is, or if one of them is not admissible JSON.
    #[must_use]
    pub fn hash(definition: Option<&Self>, annotations: Option<&Json>) -> Option<Sha256> {
        #[derive(Serialize)]
        struct TrustedAnnotations<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            annotations: Option<&'a Json>,
            #[serde(skip_serializing_if = "Option::is_none")]
            definition: Option<&'a ToolDefinition>,
        }
        if definition.is_none() && annotations.is_none() {
            return None;
        }
        Json::encode(&TrustedAnnotations { annotations, definition }).ok()?.canonical_hash().ok()
    }
}

/// The verdict that a shadow rule would have given if it were active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "no deploys on Friday", "verdict": "block"}))))]
#[serde(rename_all = "camelCase")]
pub struct ShadowVerdict {
    /// The rule.
    pub rule: String,
    /// Its verdict.
    pub verdict: Verdict,
}
