//! Policy: rules, selectors, conditions and zones that turn a tool call into a verdict before any person is asked.
//!
//! The strictest rule or zone that matches wins, whatever the rule order. Where none matches, the tool metadata
//! decides, and then the default. Errors never widen a verdict, and nothing here reads a clock.

mod advisor;
mod annotation;
mod approvers;
mod beside;
mod call_reading;
mod combination;
mod command_operand;
mod condition;
mod effects;
mod facts;
mod format;
mod grant;
mod harmless;
mod judge;
mod judgement;
mod managed;
mod metadata;
mod miss;
mod named_paths;
mod names;
mod operands;
mod outcome;
mod patch;
mod policy;
mod policy_text;
mod profile;
mod prose;
mod question_format;
mod reach;
mod reachability;
mod read;
mod rule;
mod selector;
mod settings;
mod shell_wrapper;
mod span;
mod spelling;
mod subject;
mod tools;
mod value;
mod warning;

pub use advisor::{AdvisorSettings, AdvisorTarget, AdvisorThresholds, UnmetThreshold};
pub use approvers::{ApproverDirectory, AssumedLevels, QualifiedPeople};
pub use call_reading::CallReading;
pub use format::{format, format_layer};
pub use grant::ScopePattern;
pub use judgement::{ApprovalTerms, Judgement, MatchedRule};
pub use managed::{MAX_MANAGED_RULE_BYTES, MAX_MANAGED_RULES, ManagedRuleError};
pub use named_paths::{BranchNeeds, branch_needs, named_paths};
pub use outcome::RuleEffect;
pub use policy::{Policy, RuleSummary};
pub use policy_text::{LAYER_ENDINGS, LAYER_FOLDER, MANAGED_LAYER, MAX_LAYERS, PolicyText, plain_rule_name};
pub use profile::PolicyProfile;
pub use prose::{has_prose, hash_without_prose};
pub use question_format::QuestionFormat;
pub use reach::CallReach;
pub use reachability::{
    BadQuestion, NewlyReachable, ReachAnswer, ReachCall, ReachCaller, ReachForm, ReachLimits, ReachQuestion,
    ReachReport, ReachWitness, WitnessStrength, find_newly_reachable, sensitive_questions,
};
pub use read::{BadPolicy, MAX_POLICY_BYTES};
pub use settings::{KeyRegistrars, MismatchAction, PendingLimits, SHORTEST_WITHDRAWAL};
pub use span::parse_span;
pub use subject::JudgedCall;
pub use warning::PolicyWarning;

#[cfg(test)]
mod tests;
