//! Access: a log's tokens, what their holders may do and in which threads, its approver keys, and the devices that get
//! notifications.

mod account_names;
mod approver_keys;
mod caller;
mod chat_account_check;
mod chat_accounts;
mod delegation_check;
mod delegations;
mod device_check;
mod directory;
mod holder;
mod known_names;
mod push_devices;
mod right;
mod secret;

pub use account_names::AccountNames;
pub use approver_keys::{ApproverKeyDirectory, ApproverKeyRecord, ProofContext};
pub use caller::{ApproverStanding, CommandCaller};
pub use chat_accounts::{ChatAccountDirectory, ChatAccountRecord};
pub use delegations::{DelegationDirectory, DelegationRecord};
pub use device_check::DeviceRejection;
pub use directory::{TokenDirectory, TokenRecord, TokenRejection};
pub use holder::{SOLO_MARK, TokenHolder, VisibleThreads};
pub use known_names::KnownNames;
pub use push_devices::{PushDeviceDirectory, PushDeviceRecord};
pub use right::Right;
pub use secret::{BadToken, PageKey, TOKEN_PREFIX, TokenSecret};
