//! Domain values as the API shows them. The API crate has types only, so the conversions are here.

mod advisor;
mod approver_key;
mod call;
mod chat_account;
mod daily;
mod misleading;
mod push_device;
mod request;
mod response;
mod scope;
mod statistics;
mod thread;
mod token;
mod tool;
mod verdict;
mod webhook;

pub(crate) use advisor::view_advisor;
pub(crate) use approver_key::view_approver_key;
pub use call::view_call;
pub(crate) use call::{read_question, view_execution, view_result};
pub(crate) use chat_account::view_chat_account;
pub(crate) use daily::{ReviewedDay, view_day};
pub(crate) use push_device::view_push_device;
pub(crate) use request::{inform_approvers, view_vote};
pub use response::read_grant_origin;
pub(crate) use response::view_response;
pub(crate) use scope::CallHistory;
pub(crate) use statistics::CallCounter;
pub(crate) use thread::{DenialMemory, grant_page, view_mode, view_policies, view_thread};
pub use token::view_caller;
pub(crate) use token::view_token;
pub(crate) use tool::{inform_about_tool, view_tool, view_tool_details};
pub use verdict::{view_verdict, view_warning};
pub(crate) use webhook::view_webhook;
