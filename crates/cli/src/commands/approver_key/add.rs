//! `countersign approver-key add`

use crate::proof_signing;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_json, print_line};
use countersign_events::{Principal, ProofKind};
use countersign_proofs::{ApproverPublicKey, KeyStatement};
use std::path::{Path, PathBuf};

/// The most bytes of a file that are read.
const MAX_FILE_BYTES: u64 = 65_536;

/// Options of `approver-key add`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The first key of a person needs no proof, unless the policy says approverKeys = \"admin\". A further one needs \
    --sign-with, or an admin. Passkeys are registered in a browser, at /sign-in/ of a server.\n\nJSON: the key, as in `approver-key list`"
)]
pub(crate) struct ApproverKeyAddArgs {
    /// The public key's file: the .pub file beside a private key
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A name by which you know the key
    #[arg(long)]
    name: Option<String>,
    /// The person whose key it is, such as user:ada; only for admins [default: you]
    #[arg(long = "for", value_name = "PERSON")]
    approver: Option<String>,
    /// Prove with an earlier key that it is you: an SSH key's file
    #[arg(long, value_name = "KEYFILE")]
    sign_with: Option<PathBuf>,
}

pub(super) async fn add_key(
    context: &CommandContext,
    args: &ApproverKeyAddArgs,
) -> anyhow::Result<CommandExit> {
    let text = read_key_file(&args.file)?;
    let kind = if text.starts_with("passkey ") { ProofKind::Passkey } else { ProofKind::Ssh };
    let bad = |why: String| CliError::usage(format!("{}: {why}", args.file.display()));
    let key = ApproverPublicKey::parse(kind, &text).map_err(|why| bad(why.to_string()))?;
    let approver = args.approver.as_deref().map(str::parse::<Principal>).transpose();
    let approver = approver.map_err(|why| CliError::usage(format!("--for: {why}")))?;
    let gate = context.connect().await?;
    let proof = match &args.sign_with {
        Some(key_file) => {
            let log = proof_signing::identify_log(&gate).await?;
            let person = approver.as_ref().unwrap_or_else(|| gate.principal());
            let statement = KeyStatement { log, approver: person, key_hash: key.hash() }.statement();
            Some(proof_signing::sign(key_file, &statement)?)
        }
        None => None,
    };
    let name = args.name.clone();
    let request = api::ApproverKeyRequest {
        kind,
        approver,
        name,
        public_key: Some(key.to_string()),
        passkey: None,
        proof,
    };
    let added = gate.send(operations::AddApproverKey { body: request }).await?;
    if context.json {
        print_json(&added)?;
        return Ok(CommandExit::DONE);
    }
    let (id, person) = (escape_text(&added.id), escape_text(added.approver.as_str()));
    print_line(&format!("Added the key {id} of {person}. It proves decisions from now on."));
    print_line(&format!(
        "To pin it off this machine, for `countersign verify --approver-keys`:\n{}",
        pin_line(&added)
    ));
    Ok(CommandExit::DONE)
}

/// A line for a `verify --approver-keys` file. For SSH keys, `ssh-keygen -Y verify` reads it, too.
pub(super) fn pin_line(key: &api::ApproverKey) -> String {
    let namespace = if key.kind == ProofKind::Ssh { "namespaces=\"countersign\" " } else { "" };
    format!("{} {namespace}{}", escape_text(key.approver.as_str()), escape_text(&key.public_key))
}

fn read_key_file(path: &Path) -> anyhow::Result<String> {
    let refuse = |why: String| CliError::usage(format!("{}: {why}", path.display()));
    let length = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?.len();
    if length > MAX_FILE_BYTES {
        return Err(refuse("the file is too long for a public key".to_owned()).into());
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    Ok(text.trim().to_owned())
}
