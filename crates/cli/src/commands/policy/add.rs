//! `countersign policy add`

use super::change::{ProposedPolicy, put_in_force};
use countersign_api::{PolicyInForce, SendOperation, operations};
use countersign_console::{CliError, CommandContext, CommandExit, PolicyOnDisk};
use countersign_events::PolicyLayer;
use countersign_policy::{BadPolicy, LAYER_FOLDER, MANAGED_LAYER, Policy, PolicyText};
use std::path::{Path, PathBuf};

/// Options of `policy add`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file becomes a layer of the active policy, policy.d/NAME.toml, so the rules that are active stay, such as the built-in ones that \
keep agents from deciding. A layer with the name is replaced. The strictest rule of all wins. Like `policy apply`, it shows what \
changes, and asks. `policy revert` takes it back. A server with --policy FILE takes its rules from that file and from the folder \
policy.d beside it: put the file there instead.

JSON: as for `policy apply`")]
pub(crate) struct PolicyAddArgs {
    /// The rules, - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The layer's name [default: the file's name without its ending]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Do not ask for confirmation; without a terminal this is required
    #[arg(long)]
    yes: bool,
}

pub(super) async fn add_layer(context: &CommandContext, args: &PolicyAddArgs) -> anyhow::Result<CommandExit> {
    refuse_policy_setting(context)?;
    let name = layer_name(&args.file, args.name.as_deref())?;
    let layer = PolicyLayer { name, text: PolicyOnDisk::read_main(&args.file)?.text.text };
    let gate = context.connect_to_set_up().await?;
    let active = gate.send(operations::ShowPolicy {}).await?;
    let path = args.file.canonicalize().unwrap_or_else(|_| args.file.clone());
    let source = format!("{}, added as {}", path.display(), layer.name);
    let policy = read_with_layer(&active, layer)?;
    put_in_force(context, &gate, ProposedPolicy { policy, source, replay_command: None }, args.yes).await
}

/// Where a file is the policy, its server would discard the layer.
fn refuse_policy_setting(context: &CommandContext) -> anyhow::Result<()> {
    let Some(path) = context.settings.policy_path() else { return Ok(()) };
    let folder = path.parent().unwrap_or(Path::new("")).join(LAYER_FOLDER);
    let message = format!(
        "the policy comes from {}, which takes the place of what is added to the log; put the file into {} instead",
        path.display(),
        folder.display()
    );
    Err(CliError::usage(message).into())
}

fn layer_name(file: &Path, given: Option<&str>) -> Result<String, CliError> {
    let stem = match given {
        Some(name) => name,
        None if file.as_os_str() == "-" => return Err(CliError::usage("stdin needs --name")),
        None => file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default(),
    };
    let name = format!("{LAYER_FOLDER}{stem}.toml");
    let empty = PolicyLayer { name: name.clone(), text: String::new() };
    if name == MANAGED_LAYER {
        let why = format!("{name} is the layer of accepted rules; choose another name with --name");
        return Err(CliError::usage(why));
    }
    let possible = PolicyText { text: String::new(), layers: vec![empty] };
    match Policy::read_text(possible) {
        Ok(_) => Ok(name),
        Err(why) => Err(CliError::usage(format!("{why}; choose a name with --name"))),
    }
}

/// The active policy with the layer, in the place of one with the same name.
fn read_with_layer(active: &PolicyInForce, layer: PolicyLayer) -> Result<Policy, CliError> {
    let name = layer.name.clone();
    let mut layers = active.layers.clone();
    layers.retain(|other| other.name != name);
    layers.push(layer);
    layers.sort_by(|one, other| one.name.cmp(&other.name));
    let text = PolicyText { text: active.text.clone(), layers };
    Policy::read_text(text).map_err(|why| describe_conflict(&name, &why))
}

fn describe_conflict(name: &str, why: &BadPolicy) -> CliError {
    let message = match why {
        BadPolicy::InFile { file, error } => format!("{file}: {}", error.to_string().trim_end()),
        other => format!("{name} does not fit to the active policy: {}", other.to_string().trim_end()),
    };
    CliError { exit: CommandExit::USAGE, code: "bad_policy", message }
}
