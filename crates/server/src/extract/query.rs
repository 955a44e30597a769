//! Query parameters. Each endpoint names those that it accepts. A parameter that is unknown, repeated or malformed is
//! rejected with its name, because an ignored filter would return data that was not requested.

use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use countersign_api::{self as api, BadLogCursor, LogCursor, LogFilter};
use countersign_events::{
    CallStateFilter, EventType, MessageFormat, Principal, Sha256, ThreadId, Timestamp, ToolName,
};
use std::{fmt::Display, marker::PhantomData, ops::RangeInclusive, str::FromStr};
use utoipa::{
    IntoParams, PartialSchema,
    openapi::{
        RefOr,
        path::{Parameter, ParameterIn},
        schema::{ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type},
    },
};

/// The numbers of prompts from which a rule may follow: a single answer shows no habit.
const HABIT: RangeInclusive<u32> = 2..=1_000_000;

/// The parameter names that an endpoint accepts.
pub trait AcceptedParameters: Send {
    /// The names.
    const NAMES: &[&str];
}

macro_rules! parameter_sets {
    ($($(#[$doc:meta])* $visible:vis $name:ident as $marker:ident: $names:expr;)*) => {
        $(
            #[doc = concat!("See [`", stringify!($name), "`].")]
            $visible struct $marker;

            impl AcceptedParameters for $marker {
                const NAMES: &[&str] = &$names;
            }

            $(#[$doc])*
            $visible type $name = QueryParameters<$marker>;
        )*
    };
}

parameter_sets! {
    /// No parameters.
    pub NoQuery as NoParameters: [];
    /// Query parameters for a thread's messages.
    pub(crate) MessageQuery as MessageParameters: ["after", "limit", "for", "format"];
    /// The log's parameters.
    pub(crate) EventQuery as EventParameters: ["after", "limit", "thread", "type", "tool", "principal", "since", "until"];
    /// Query parameters for a thread's log.
    pub(crate) ThreadEventQuery as ThreadEventParameters: ["after", "limit", "type", "tool", "principal", "since", "until"];
    /// Query parameters for pending calls.
    pub(crate) PendingQuery as PendingParameters: ["after", "limit", "thread", "tool", "principal", "agent", "project", "since", "until"];
    /// Query parameters for a thread's pending calls.
    pub(crate) ThreadPendingQuery as ThreadPendingParameters: ["after", "limit", "tool", "principal", "agent", "project", "since", "until"];
    /// Query parameters for calls.
    pub(crate) CallQuery as CallParameters: ["after", "limit", "thread", "tool", "principal", "agent", "project", "state", "since", "until", "argumentsHash", "touches"];
    /// Query parameters for a thread's calls.
    pub(crate) ThreadCallQuery as ThreadCallParameters: ["after", "limit", "tool", "principal", "agent", "project", "state", "since", "until", "argumentsHash", "touches"];
    /// The parameters of suggested rules.
    pub(crate) SuggestionQuery as SuggestionParameters: ["since", "until", "atLeast"];
}

/// The parsed query parameters.
pub struct QueryParameters<T> {
    pub(crate) page: api::PageQuery,
    pub(crate) filter: LogFilter,
    pub(crate) state: Option<CallStateFilter>,
    /// Whether the list also has ended items.
    pub(crate) all: bool,
    pub(crate) touched: bool,
    /// The offset from UTC at which days are counted.
    pub(crate) days_at: Option<api::UtcOffset>,
    /// The day to review.
    pub(crate) day: Option<i64>,
    /// The fewest prompts that a suggested rule saves.
    pub(crate) at_least: Option<u64>,
    /// The reader for whom the whole conversation is written.
    pub(crate) reader: Option<api::ConversationReader>,
    /// The format in which it is written.
    pub(crate) format: Option<MessageFormat>,
    /// `after` as a position in the log, with the hash of its event if the caller sent it.
    pub(crate) cursor: LogCursor,
    accepted: PhantomData<T>,
}

impl<T> QueryParameters<T> {
    /// Limits the filter to this thread.
    pub(crate) fn in_thread(self, thread: ThreadId) -> Self {
        Self { filter: LogFilter { thread_id: Some(thread), ..self.filter }, ..self }
    }
}

impl<T: AcceptedParameters, S: Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let mut query = Self {
            page: api::PageQuery::default(),
            filter: LogFilter::default(),
            state: None,
            all: false,
            touched: false,
            days_at: None,
            day: None,
            at_least: None,
            reader: None,
            format: None,
            cursor: LogCursor::default(),
            accepted: PhantomData,
        };
        let mut seen = Vec::new();
        for pair in parts.uri.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decode_form(key, key)?, decode_form(key, value)?);
            let Some(name) = T::NAMES.iter().find(|name| **name == key) else {
                return Err(unknown_parameter(&key, T::NAMES));
            };
            if *name != "type" && seen.contains(name) {
                return Err(ProblemResponse::invalid(format!("{name} is given twice")).with_parameter(name));
            }
            seen.push(name);
            query.set_parameter(name, &value)?;
        }
        Ok(query)
    }
}

impl<T: AcceptedParameters> QueryParameters<T> {
    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ProblemResponse> {
        let filter = &mut self.filter;
        match name {
            "after" => {
                let cursor = parse_cursor(value).and_then(|cursor| require_hash_support::<T>(cursor, value));
                self.cursor = cursor.map_err(|problem| problem.with_parameter(name))?;
                self.page.after = self.cursor.seq;
            }
            "limit" => self.page.limit = parse_number(name, value, 1..=api::MAX_PAGE)?,
            "thread" => filter.thread_id = Some(name_error(name, ThreadId::new(value))?),
            "tool" => filter.tool = Some(name_error(name, ToolName::new(value))?),
            "principal" => filter.principal = Some(parse::<Principal>(name, value)?),
            "agent" => filter.agent = Some(value.to_owned()),
            "project" => filter.project = Some(value.to_owned()),
            "state" => self.state = Some(parse::<CallStateFilter>(name, value)?),
            "all" => {
                self.all = parse::<bool>(name, value)?;
            }
            "touched" => self.touched = parse::<bool>(name, value)?,
            "since" => filter.since = Some(parse::<Timestamp>(name, value)?),
            "until" => filter.until = Some(parse::<Timestamp>(name, value)?),
            "argumentsHash" => filter.arguments_hash = Some(parse_hash(name, value)?),
            "touches" => filter.touches = Some(parse::<api::EffectPattern>(name, value)?),
            "for" => self.reader = Some(parse(name, value)?),
            "format" => self.format = Some(parse(name, value)?),
            "atLeast" => self.at_least = Some(parse_number(name, value, HABIT)?.into()),
            "utcOffsetMinutes" => self.days_at = Some(parse::<api::UtcOffset>(name, value)?),
            "date" => self.day = Some(name_error(name, api::UtcOffset::parse_day(value))?),
            _ => {
                for kind in value.split(',') {
                    filter.types.push(parse::<EventType>(name, kind)?);
                }
            }
        }
        Ok(())
    }
}

/// Decodes a key or a value as forms encode them (<https://url.spec.whatwg.org/#urlencoded-parsing>).
fn decode_form(key: &str, text: &str) -> Result<String, ProblemResponse> {
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8();
    let why = || ProblemResponse::invalid(format!("{key} is not UTF-8")).with_parameter(key);
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| why())
}

fn unknown_parameter(key: &str, names: &[&str]) -> ProblemResponse {
    let detail = match names {
        [] => format!("unknown parameter {key:?}; this path has none"),
        [others @ .., last] => {
            format!("unknown parameter {key:?}; the parameters are {} and {last}", others.join(", "))
        }
    };
    ProblemResponse::invalid(detail).with_parameter(key)
}

fn name_error<T, E: Display>(name: &str, parsed: Result<T, E>) -> Result<T, ProblemResponse> {
    parsed.map_err(|why| ProblemResponse::invalid(format!("{name}: {why}")).with_parameter(name))
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, ProblemResponse> {
    name_error(name, value.parse())
}

fn parse_hash(name: &str, value: &str) -> Result<Sha256, ProblemResponse> {
    let why = || ProblemResponse::invalid(format!("{name} must be 64 hexadecimal digits, not {value:?}"));
    Sha256::from_hex(value).ok_or_else(|| why().with_parameter(name))
}

pub(crate) fn parse_cursor(text: &str) -> Result<LogCursor, ProblemResponse> {
    text.parse().map_err(|why: BadLogCursor| ProblemResponse::invalid(why.to_string()))
}

/// Rejects a cursor with a hash where the list is not the log, because the hash would not be compared.
fn require_hash_support<T: AcceptedParameters>(
    cursor: LogCursor,
    text: &str,
) -> Result<LogCursor, ProblemResponse> {
    if cursor.hash.is_none() || T::NAMES.contains(&"type") {
        return Ok(cursor);
    }
    let detail = format!("{text:?} is a position in the log; use the `next` of the page before");
    Err(ProblemResponse::invalid(detail))
}

fn parse_number<N: FromStr + PartialOrd + Display>(
    name: &str,
    text: &str,
    range: RangeInclusive<N>,
) -> Result<N, ProblemResponse> {
    text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
        let (least, most) = range.into_inner();
        ProblemResponse::invalid(format!("{name} must be a number from {least} to {most}, not {text:?}"))
            .with_parameter(name)
    })
}

impl<T: AcceptedParameters> IntoParams for QueryParameters<T> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        T::NAMES.iter().map(|name| query_parameter(name)).collect()
    }
}

/// Describes the query parameter with this name.
pub(crate) fn query_parameter(name: &str) -> Parameter {
    let (description, schema) = filter_parameter(name).unwrap_or_else(|| other_parameter(name));
    openapi::parameter(name, ParameterIn::Query, description, schema)
}

/// A parameter that leaves out items of a list.
fn filter_parameter(name: &str) -> Option<(&'static str, RefOr<Schema>)> {
    Some(match name {
        "thread" => ("Only this thread.", ThreadId::schema()),
        "tool" => ("Only calls of this tool, and events about them.", ToolName::schema()),
        "principal" => {
            ("Only events that this principal caused, or calls that it proposed.", Principal::schema())
        }
        "agent" => (
            "Only calls of this agent and its sub-agents, as its hook names it in their place: `claude-code`, or \
             `claude-code/explore`.",
            ObjectBuilder::new().schema_type(Type::String).into(),
        ),
        "project" => (
            "Only calls of this project, by the path of its folder.",
            ObjectBuilder::new().schema_type(Type::String).into(),
        ),
        "state" => ("Only calls in this state, or in this part of a state.", CallStateFilter::schema()),
        "all" => (
            "Also the items that have ended.",
            ObjectBuilder::new().schema_type(Type::Boolean).default(Some(false.into())).into(),
        ),
        "since" => (
            "Only from this time on, inclusive: the time of the event, of the proposal of a call, or of the \
             request for a pending call.",
            Timestamp::schema(),
        ),
        "until" => ("Only before this time, exclusive.", Timestamp::schema()),
        "argumentsHash" => {
            ("Only calls that were proposed with the arguments of this hash.", Sha256::schema())
        }
        "touches" => (
            "Only calls that touch what this pattern names, as the log recorded it when they were proposed: a file, a host, a \
             branch. `*` is any text and `?` any character, without regard to case; the pattern stands for the whole name or for \
             its end behind a `/`.",
            api::EffectPattern::schema(),
        ),
        _ => return None,
    })
}

fn other_parameter(name: &str) -> (&'static str, RefOr<Schema>) {
    match name {
        "after" => (
            "The cursor: `next` of the previous page. 0 begins at the start of the list.",
            number(0, None, 0),
        ),
        "limit" => ("The most items to return.", number(1, i64::try_from(api::MAX_PAGE).ok(), 100)),
        "for" => (
            "Returns the whole conversation in one format, instead of a page of messages as they were sent: for a \
             `model`, without approvals and with exactly one result after each call; for a `client`, with everything \
             and the requests for pending calls.",
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["model", "client"])).into(),
        ),
        "format" => (
            "The format of the conversation; without it, that of its last message. A format without `for` means \
             `for=client`.",
            MessageFormat::schema(),
        ),
        "atLeast" => (
            "The least number of prompts that each rule saves.",
            number((*HABIT.start()).into(), Some((*HABIT.end()).into()), 5),
        ),
        "touched" => (
            "Whether the answer says what the calls touch.",
            ObjectBuilder::new().schema_type(Type::Boolean).default(Some(false.into())).into(),
        ),
        "date" => (
            "The day, such as 2026-01-31; yesterday, if it is absent.",
            openapi::text("2026-01-31").format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))).into(),
        ),
        "utcOffsetMinutes" => (
            "The minutes east of UTC at which a day begins, 0 for UTC. Statistics count each day if it is given.",
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(-840)).maximum(Some(840)).into(),
        ),
        _ => (
            "Only events of these types. Repeat the parameter or separate the types by commas.",
            ArrayBuilder::new().items(EventType::schema()).into(),
        ),
    }
}

fn number(minimum: i64, maximum: Option<i64>, default: i64) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(minimum))
        .maximum(Some(maximum.unwrap_or(i64::MAX)))
        .default(Some(default.into()))
        .into()
}
