//! SSH keys, and the signatures that `ssh-keygen -Y sign` makes (SSHSIG, `PROTOCOL.sshsig` of OpenSSH).

mod public_key;
mod signature;
mod wire;

pub use public_key::{BadSshKey, SshPublicKey};
pub use signature::SshSignature;

/// The namespace of signatures (`ssh-keygen -Y sign -n`). A signature for another purpose, such as one of a git commit,
/// has another one.
pub const NAMESPACE: &str = "countersign";
