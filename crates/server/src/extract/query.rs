//! Query parameters: each endpoint names those it takes. Whatever else stands there, or stands twice,
//! or cannot be read is refused by its name, for a filter that is passed over shows what was not asked for.

use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use countersign_api::{self as api, ErrorCode, LogFilter};
use countersign_gate::{CallState, EventType, Principal, ThreadId, Timestamp, ToolName};
use std::{fmt::Display, marker::PhantomData, str::FromStr};
use utoipa::{
    IntoParams, PartialSchema,
    openapi::{
        RefOr,
        path::{Parameter, ParameterIn},
        schema::{ArrayBuilder, ObjectBuilder, Schema, Type},
    },
};

/// Which parameters an endpoint takes.
pub(crate) trait AcceptedParameters: Send {
    const NAMES: &[&str];
}

macro_rules! takes {
    ($($(#[$doc:meta])* $name:ident as $marker:ident: $names:expr;)*) => {
        $(
            #[doc = concat!("See [`", stringify!($name), "`].")]
            pub(crate) struct $marker;

            impl AcceptedParameters for $marker {
                const NAMES: &[&str] = &$names;
            }

            $(#[$doc])*
            pub(crate) type $name = QueryParameters<$marker>;
        )*
    };
}

takes! {
    /// None at all.
    NoQuery as Nothing: [];
    /// A part of a list.
    PageOf as Page: ["after", "limit"];
    /// A part of the log.
    EventsOf as Events: ["after", "limit", "thread", "type", "tool", "principal", "since", "until"];
    /// A part of a thread's log.
    EventsOfThread as ThreadEvents: ["after", "limit", "type", "tool", "principal", "since", "until"];
    /// A part of what waits.
    PendingOf as Pending: ["after", "limit", "thread", "tool", "principal", "since", "until"];
    /// A part of what waits in a thread.
    PendingOfThread as ThreadPending: ["after", "limit", "tool", "principal", "since", "until"];
    /// A part of all calls.
    CallsOf as Calls: ["after", "limit", "thread", "tool", "principal", "state", "since", "until"];
    /// A part of a thread's calls.
    CallsOfThread as ThreadCalls: ["after", "limit", "tool", "principal", "state", "since", "until"];
    /// A span of time.
    Span as SpanOfTime: ["since", "until"];
}

/// What a query asks for.
pub(crate) struct QueryParameters<T> {
    pub(crate) page: api::PageQuery,
    pub(crate) filter: LogFilter,
    pub(crate) state: Option<CallState>,
    takes: PhantomData<T>,
}

impl<T> QueryParameters<T> {
    /// The filter, held to that thread.
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
            takes: PhantomData,
        };
        let mut seen = Vec::new();
        for pair in parts.uri.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (key, value) = (decoded(key, key)?, decoded(key, value)?);
            let Some(name) = T::NAMES.iter().find(|name| **name == key) else {
                return Err(unknown(&key, T::NAMES));
            };
            if *name != "type" && seen.contains(name) {
                return Err(ProblemResponse::invalid(format!("{name} is given twice")).of(name));
            }
            seen.push(name);
            query.take(name, &value)?;
        }
        Ok(query)
    }
}

impl<T> QueryParameters<T> {
    fn take(&mut self, name: &str, value: &str) -> Result<(), ProblemResponse> {
        let filter = &mut self.filter;
        match name {
            "after" => self.page.after = cursor(value).map_err(|problem| problem.of(name))?,
            "limit" => self.page.limit = limit(value)?,
            "thread" => filter.thread_id = Some(read(name, ThreadId::new(value))?),
            "tool" => filter.tool = Some(read(name, ToolName::new(value))?),
            "principal" => filter.principal = Some(parse::<Principal>(name, value)?),
            "state" => self.state = Some(parse::<CallState>(name, value)?),
            "since" => filter.since = Some(parse::<Timestamp>(name, value)?),
            "until" => filter.until = Some(parse::<Timestamp>(name, value)?),
            _ => {
                for one in value.split(',') {
                    filter.types.push(parse::<EventType>(name, one)?);
                }
            }
        }
        Ok(())
    }
}

/// As a form encodes it (<https://url.spec.whatwg.org/#urlencoded-parsing>).
fn decoded(key: &str, text: &str) -> Result<String, ProblemResponse> {
    let spaced = text.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8();
    let why = || ProblemResponse::invalid(format!("{key} is not UTF-8")).of(key);
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| why())
}

fn unknown(key: &str, names: &[&str]) -> ProblemResponse {
    let detail = match names {
        [] => format!("unknown parameter {key:?}; this path has none"),
        [others @ .., last] => {
            format!("unknown parameter {key:?}; the parameters are {} and {last}", others.join(", "))
        }
    };
    ProblemResponse::invalid(detail).of(key)
}

fn read<T, E: Display>(name: &str, given: Result<T, E>) -> Result<T, ProblemResponse> {
    given.map_err(|why| ProblemResponse::invalid(format!("{name}: {why}")).of(name))
}

fn parse<T: FromStr<Err: Display>>(name: &str, value: &str) -> Result<T, ProblemResponse> {
    read(name, value.parse())
}

pub(crate) fn cursor(text: &str) -> Result<i64, ProblemResponse> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        let detail =
            format!("{text:?} is not a cursor; use the `next` of the page before, or the seq of an event");
        ProblemResponse::new(ErrorCode::Invalid, detail)
    })
}

fn limit(text: &str) -> Result<usize, ProblemResponse> {
    let most = api::MAX_PAGE;
    text.parse().ok().filter(|limit| (1..=most).contains(limit)).ok_or_else(|| {
        ProblemResponse::invalid(format!("limit must be a number from 1 to {most}, not {text:?}")).of("limit")
    })
}

impl<T: AcceptedParameters> IntoParams for QueryParameters<T> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        T::NAMES.iter().map(|name| describe(name)).collect()
    }
}

fn describe(name: &str) -> Parameter {
    let (what, schema): (&str, RefOr<Schema>) = match name {
        "after" => {
            ("The cursor: `next` of the page before. 0, or nothing, for the beginning.", number(0, None, 0))
        }
        "limit" => ("How much, at most.", number(1, i64::try_from(api::MAX_PAGE).ok(), 100)),
        "thread" => ("Only of that thread.", ThreadId::schema()),
        "tool" => ("Only calls of that tool, and events about them.", ToolName::schema()),
        "principal" => {
            ("Only events that this principal caused, or calls that it proposed.", Principal::schema())
        }
        "state" => ("Only calls that stand there.", CallState::schema()),
        "since" => ("Only from that moment on.", Timestamp::schema()),
        "until" => ("Only before that moment.", Timestamp::schema()),
        _ => (
            "Only events of that type; more than one may be given, repeated or separated by commas.",
            ArrayBuilder::new().items(EventType::schema()).into(),
        ),
    };
    openapi::parameter(name, ParameterIn::Query, what, schema)
}

fn number(least: i64, most: Option<i64>, usual: i64) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(least))
        .maximum(Some(most.unwrap_or(i64::MAX)))
        .default(Some(usual.into()))
        .into()
}
