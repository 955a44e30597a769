//! What the commands, the inbox and the service share: settings, the connection to the log, credentials, and output for
//! people.

mod advisor_access;
mod called_program;
mod context;
mod credentials;
mod empty_log;
mod exit;
mod file_lock;
mod policy_file;
mod present;
mod private_file;
mod run_cache;
mod settings;
mod webhook_sender;
mod wrap;

pub use advisor_access::advisor_access;
pub use called_program::called_program;
pub use context::{CommandContext, quote_for_shell};
pub use credentials::{
    CallerSide, CredentialFile, LockedCredentials, ServerTokens, accepted_token, authorize, local_person,
    read_secret_file, request_agent_token, request_person_token, request_sign_in_link, sign_in_link,
};
pub use empty_log::{COPIED_FILE, describe_empty_log, is_empty_log};
pub use exit::{CliError, CommandExit, ServiceStartError, classify_error, gate_exit, unavailable_reason};
pub use file_lock::wait_for_lock;
pub use policy_file::{PolicyOnDisk, keep_managed_layer};
pub use present::call::{ValueDetail, describe_call, print_call};
pub use present::confirm::{ConfirmTerms, confirm, confirm_calls, confirm_change};
pub use present::csv::{EVENT_COLUMNS, format_csv_row, format_event_row};
pub use present::daily::{count_day, describe_day, local_offset};
pub use present::decision::{describe_decision, describe_missing_votes, describe_outcome};
pub use present::editor::{difference_lines, edit_arguments, is_same_json, parse_arguments};
pub use present::error::{error_remedy, report_error, report_usage_as_json};
pub use present::event::{describe_event, summarize_arguments};
pub use present::facts::{
    change_lines, describe_likeness, describe_masked, describe_mixed_scripts, describe_padding,
    describe_scope_preview, describe_votes, place_facts, request_facts, waiting_calls,
};
pub use present::impact::ImpactSummary;
pub use present::json::json_lines;
pub use present::limits::{LimitChoice, describe_limits};
pub use present::presence::{describe_presence, warn_before_allowing, warn_of_absence};
pub use present::print::{
    JsonListPrinter, first_print_failure, format_json_line, print_error, print_error_part, print_json,
    print_line, print_prompt, record_print_result, try_print_line,
};
pub use present::progress::ProgressLine;
pub use present::question::{answer_prompt, answer_question, is_said_by_form, question_lines, read_answer};
pub use present::scope_menu::{
    MOST_NAMED, NO_PATTERN, ScopeKind, describe_offer, describe_patterns, describe_remembered_denial,
    describe_scopes, describe_waiting_call, pattern_letter, whole_tool_warning,
};
pub use present::screen::{ScreenFormat, TextStyle};
pub use present::signals::TerminationSignals;
pub use present::summary::{summarize_call, tells_alone};
pub use present::table::{ColumnFit, TableCell, TextTable};
pub use present::text::{
    compact_json, escape_lines, escape_tabbed_line, escape_text, format_age, format_duration, split_lines,
};
pub use present::text_diff::diff_lines;
pub use present::words::{count_words, describe_rule_names, verdict_style, verdict_word};
pub use private_file::{create_private, write_private};
pub use run_cache::RunCache;
pub use settings::default_log::find_default_log;
pub use settings::effective::{Settings, login_name, read_policy};
pub use settings::file::{SettingsFile, default_files};
pub use settings::keys::{LOG_KEYS, SettingDefinition, SettingKey};
pub use settings::log_target::{LogTarget, locate_database, parse_address, read_address_file};
pub use settings::notice::print_ignored_settings;
pub use settings::options::GlobalOptions;
pub use settings::setting::{SettingOrigin, invalid_setting, read_variable};
pub use settings::table::{KEYS, edit_distance};
pub use settings::value::{LogFormat, SettingValue};
pub use webhook_sender::{address_in_links, find_key_file, webhook_key, webhook_sender};
pub use wrap::{
    join_parts, split_columns, split_near_space, text_width, truncate_start, truncate_text, wrap_words,
};
