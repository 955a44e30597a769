//! The place in a proposal.

use crate::object::read_optional_object;
use countersign_events::Place;
use serde::{Deserialize, Deserializer};

/// A place in a proposal. Unlike the place in an event, it rejects unknown fields, and has no digest.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"server": "staging", "folder": "/home/ada/shop"}))))]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposedPlace {
    /// The MCP server's name.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    server: Option<String>,
    /// The MCP server's command line, or the origin and path of its URL.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    address: Option<String>,
    /// The script or package that runs the call.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    program: Option<String>,
    /// The folder in which the call runs.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    folder: Option<String>,
    /// The folder of the project in which a coding agent works.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    project: Option<String>,
    /// The machine on which the call runs.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    host: Option<String>,
    /// Where symbolic links on the paths that the call names lead, as far as that is outside of the project.
    #[serde(rename = "linkTargets")]
    #[cfg_attr(feature = "openapi", schema(schema_with = link_targets_schema))]
    link_targets: Option<Vec<String>>,
    /// The Git branch that is checked out in the folder, if the call changes it without naming it, such as `git push`.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    branch: Option<String>,
    /// The default branch of the Git repository, if the call may change a branch.
    #[serde(rename = "defaultBranch")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    default_branch: Option<String>,
    /// The agent as its own software names it: its kind, and behind a slash the sub-agent, such as `claude-code/explore`. The
    /// proposer's principal does not change.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"))]
    agent: Option<String>,
}

/// The schema of the targets: each is a text like the other fields of a place.
#[cfg(feature = "openapi")]
fn link_targets_schema() -> utoipa::openapi::Schema {
    use utoipa::openapi::{ArrayBuilder, ObjectBuilder, schema::SchemaType, schema::Type};
    let target = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .pattern(Some(r"^[^\u0000-\u001f\u007f-\u009f]+$"));
    ArrayBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Array, Type::Null]))
        .items(target)
        .max_items(Some(16))
        .description(Some(
            "Where symbolic links on the paths that the call names lead, as far as that is outside of the project.",
        ))
        .into()
}

/// Reads a proposal's place, or null.
pub(crate) fn read_place<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Place>, D::Error> {
    let read: Option<ProposedPlace> = read_optional_object(deserializer)?;
    let place = read.map(|proposed| Place {
        server: proposed.server,
        address: proposed.address,
        program: proposed.program,
        folder: proposed.folder,
        project: proposed.project,
        host: proposed.host,
        branch: proposed.branch,
        default_branch: proposed.default_branch,
        agent: proposed.agent,
        link_targets: proposed.link_targets.unwrap_or_default(),
        digest: None,
    });
    // An object without fields means the same as none.
    Ok(place.filter(|place| place.fields().next().is_some()))
}
