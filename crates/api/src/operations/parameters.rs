//! Path parts, query parameters and the empty body.

use crate::{
    CallId, DailyQuery, GateError, PageQuery, SelectionQuery, StatisticsQuery, ThreadId, Timestamp, ToolName,
    UtcOffset, parse_call_id, parse_thread_id, parse_tool_name,
};
use serde::{Deserialize, Serialize};
#[cfg(feature = "openapi")]
use utoipa::{
    PartialSchema,
    openapi::{
        RefOr, Schema,
        schema::{ObjectBuilder, Type},
    },
};

/// A path part, such as a thread id.
pub trait PathPart {
    /// The parsed value.
    type Value;
    /// The description in the OpenAPI document.
    const DESCRIPTION: &'static str;

    /// Parses the decoded part of a path.
    fn parse(text: &str) -> Result<Self::Value, GateError>;

    /// Returns the part, not encoded.
    fn format(value: &Self::Value) -> String;

    /// The schema in the OpenAPI document.
    #[cfg(feature = "openapi")]
    fn schema() -> RefOr<Schema>;
}

/// Parts with their own types, which have a schema.
macro_rules! typed_parts {
    ($($(#[$doc:meta])* $name:ident: $value:ty, $description:literal, $parse:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl PathPart for $name {
            type Value = $value;
            const DESCRIPTION: &'static str = $description;

            fn parse(text: &str) -> Result<$value, GateError> {
                $parse(text)
            }

            fn format(value: &$value) -> String {
                value.to_string()
            }

            #[cfg(feature = "openapi")]
            fn schema() -> RefOr<Schema> {
                <$value>::schema()
            }
        }
    )*};
}

/// Parts that are names or ids without further rules. A wrong one names nothing.
macro_rules! text_parts {
    ($($(#[$doc:meta])* $name:ident: $description:literal, $example:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl PathPart for $name {
            type Value = String;
            const DESCRIPTION: &'static str = $description;

            fn parse(text: &str) -> Result<String, GateError> {
                Ok(text.to_owned())
            }

            fn format(value: &String) -> String {
                value.clone()
            }

            #[cfg(feature = "openapi")]
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().schema_type(Type::String).examples([$example]).into()
            }
        }
    )*};
}

typed_parts! {
    /// A thread id.
    ThreadPart: ThreadId, "The id of the thread.", parse_thread_id;
    /// A call id.
    CallPart: CallId, "The id of the call, unique in its thread.", parse_call_id;
    /// A tool name.
    ToolPart: ToolName, "The name of the tool.", parse_tool_name;
}

text_parts! {
    /// A token id.
    TokenPart: "The id of the token: the part between the first two `_`.", "0123456789ab";
    /// An approver key id.
    KeyPart: "The id of the key.", "0123456789abcdef";
    /// A device id.
    DevicePart: "The id of the device.", "4cf29611a6693486";
    /// A webhook name.
    WebhookPart: "The name of the webhook.", "ops";
    /// An advisor name.
    AdvisorPart: "The name of the advisor.", "reviewer";
}

/// Parts that name an event by its `seq`.
macro_rules! seq_parts {
    ($($(#[$doc:meta])* $name:ident: $field:literal, $description:literal, $why:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl PathPart for $name {
            type Value = i64;
            const DESCRIPTION: &'static str = $description;

            fn parse(text: &str) -> Result<i64, GateError> {
                text.parse().ok().filter(|seq| *seq >= 1).ok_or_else(|| GateError::invalid($field, &$why))
            }

            fn format(value: &i64) -> String {
                value.to_string()
            }

            #[cfg(feature = "openapi")]
            fn schema() -> RefOr<Schema> {
                let seq =
                    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(1)).maximum(Some(i64::MAX));
                seq.examples([3]).into()
            }
        }
    )*};
}

seq_parts! {
    /// A grant `seq`.
    GrantPart: "grant", "The grant: the `seq` of the response that created it.", "must be the seq of the event that gave it";
    /// The `seq` of a chat account's link.
    ChatAccountPart: "account", "The account: the `seq` of the event that linked it.", "must be the seq of the event that linked it";
    /// A delegation `seq`.
    DelegationPart: "delegation", "The delegation: the `seq` of the event that set it.", "must be the seq of the event that set it";
}

/// The parsed query parameters of a request.
#[derive(Debug, Default)]
pub struct QueryValues {
    /// `after` and `limit`.
    pub page: PageQuery,
    /// `all`.
    pub all: bool,
    /// `touched`.
    pub touched: bool,
    /// `since`.
    pub since: Option<Timestamp>,
    /// `until`.
    pub until: Option<Timestamp>,
    /// `utcOffsetMinutes`.
    pub days_at: Option<UtcOffset>,
    /// `date`, as a day number.
    pub day: Option<i64>,
}

/// The query parameters of an operation.
pub trait OperationQuery {
    /// The parameter names that the operation accepts.
    const NAMES: &'static [&'static str];

    /// Takes the parameters of this operation from those of a request.
    fn from_values(values: QueryValues) -> Self;

    /// Returns the parameters that a request needs.
    fn pairs(&self) -> Vec<(&'static str, String)>;
}

impl OperationQuery for () {
    const NAMES: &'static [&'static str] = &[];

    fn from_values(_: QueryValues) -> Self {}

    fn pairs(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

impl OperationQuery for PageQuery {
    const NAMES: &'static [&'static str] = &["after", "limit"];

    fn from_values(values: QueryValues) -> Self {
        values.page
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        vec![("after", self.after.to_string()), ("limit", self.limit.to_string())]
    }
}

impl OperationQuery for SelectionQuery {
    const NAMES: &'static [&'static str] = &["after", "limit", "all"];

    fn from_values(values: QueryValues) -> Self {
        Self { all: values.all, page: values.page }
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = self.page.pairs();
        pairs.extend(self.all.then(|| ("all", "true".to_owned())));
        pairs
    }
}

impl OperationQuery for StatisticsQuery {
    const NAMES: &'static [&'static str] = &["after", "since", "touched", "until", "utcOffsetMinutes"];

    fn from_values(values: QueryValues) -> Self {
        let QueryValues { page, since, until, days_at, touched, .. } = values;
        Self { since, until, days_at, touched, after: page.after }
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let after = Some(self.after).filter(|after| *after > 0);
        let pairs = [
            ("since", self.since.map(|since| since.to_string())),
            ("until", self.until.map(|until| until.to_string())),
            ("after", after.map(|after| after.to_string())),
            ("utcOffsetMinutes", self.days_at.map(|offset| offset.to_string())),
            ("touched", self.touched.then(|| "true".to_owned())),
        ];
        pairs.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl OperationQuery for DailyQuery {
    const NAMES: &'static [&'static str] = &["date", "utcOffsetMinutes"];

    fn from_values(values: QueryValues) -> Self {
        Self { days_at: values.days_at.unwrap_or_default(), day: values.day }
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let date = self.day.map(|day| ("date", UtcOffset::format_day(day)));
        date.into_iter().chain([("utcOffsetMinutes", self.days_at.to_string())]).collect()
    }
}

/// An empty object: the path contains everything that is needed.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({}))))]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}
