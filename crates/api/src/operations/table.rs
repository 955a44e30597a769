//! The operations, made from the table rows, and what all of them have in common.

use super::{
    calls::call_operations,
    log::log_operations,
    parameters::{EmptyBody, OperationQuery, PathPart},
    row::{HttpMethod, OperationRight, OperationRow, RetryClass},
    threads::thread_operations,
};
use crate::{ErrorCode, GateError};
use serde::{Serialize, de::DeserializeOwned};
use std::any::Any;
#[cfg(not(feature = "openapi"))]
// A trait of every type: without the feature, nothing more is demanded.
use std::any::Any as SchemaOrAny;
#[cfg(feature = "openapi")]
use utoipa::ToSchema as SchemaOrAny;

/// A request or an answer as JSON. With the feature `openapi`, it has a schema.
pub trait WireType: Serialize + DeserializeOwned + SchemaOrAny + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + SchemaOrAny + Send + Sync + 'static> WireType for T {}

/// An operation, with everything that its request says.
pub trait Operation: WireOperation + Sized + 'static {
    /// The query parameters.
    type Query: OperationQuery + Send;
    /// The request's body. [`EmptyBody`] if it has none.
    type Body: WireType;
    /// The answer.
    type Answer: WireType;
    /// The path parts: their names and descriptions.
    const PATH_PARTS: &'static [(&'static str, &'static str)];
    /// The table row.
    const ROW: OperationRow;

    /// Fails if a path part is invalid.
    fn check_path(path: &(dyn Fn(&str) -> String + Send + Sync)) -> Result<(), GateError>;

    /// Creates the operation from the request parts. Fails if a path part is invalid.
    fn from_request(request: OperationRequest<'_, Self>) -> Result<Self, GateError>;

    /// Returns the same operation as one of all.
    fn into_any(self) -> AnyOperation;

    /// Marks `answer` as the answer to this operation.
    fn answer(&self, answer: Self::Answer) -> AnyAnswer {
        AnyAnswer(Box::new(answer))
    }

    /// Path part schemas in the OpenAPI document.
    #[cfg(feature = "openapi")]
    fn path_schemas() -> Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>>;
}

/// What any operation says about its request and its answer.
pub trait WireOperation: Send + Sync {
    /// Returns the table row.
    fn row(&self) -> &'static OperationRow;

    /// Returns the path part names and values, not encoded.
    fn path_values(&self) -> Vec<(&'static str, String)>;

    /// Returns the query parameters.
    fn query_pairs(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the body as JSON.
    fn encode_body(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&EmptyBody {})
    }

    /// Parses the answer's body.
    fn decode_answer(&self, body: &[u8]) -> serde_json::Result<AnyAnswer>;
}

/// The request parts from which a server makes the operation.
pub struct OperationRequest<'a, O: Operation> {
    /// Returns the decoded part of the path with this name.
    pub path: &'a (dyn Fn(&str) -> String + Send + Sync),
    /// The query parameters.
    pub query: O::Query,
    /// The body.
    pub body: O::Body,
}

/// The answer to any operation.
pub struct AnyAnswer(Box<dyn Any + Send>);

impl AnyAnswer {
    /// Returns the answer to an operation of this type. Fails if it is the answer to another operation.
    pub fn into_answer_to<O: Operation>(self) -> Result<O::Answer, GateError> {
        let other = |_| GateError::new(ErrorCode::Internal, format!("{} has another answer", O::ROW.id));
        self.0.downcast().map(|answer| *answer).map_err(other)
    }
}

/// A function for each operation.
pub trait OperationVisitor {
    /// Visits one operation.
    fn visit<O: Operation>(&mut self);
}

/// Any operation.
#[derive(Debug, Clone)]
pub enum AnyOperation {
    /// One on a call.
    Call(CallOperation),
    /// One on a thread.
    Thread(ThreadOperation),
    /// A log-wide one.
    Log(LogOperation),
}

impl AnyOperation {
    /// Visits each operation of the table.
    pub fn visit_all(visitor: &mut impl OperationVisitor) {
        CallOperation::visit_all(visitor);
        ThreadOperation::visit_all(visitor);
        LogOperation::visit_all(visitor);
    }

    /// Returns the operation as a request describes it.
    #[must_use]
    pub fn as_wire(&self) -> &dyn WireOperation {
        match self {
            Self::Call(operation) => operation.as_wire(),
            Self::Thread(operation) => operation.as_wire(),
            Self::Log(operation) => operation.as_wire(),
        }
    }
}

/// The type of an optional row part.
macro_rules! type_or {
    ($default:ty) => {
        $default
    };
    ($default:ty, $type:ident) => {
        crate::$type
    };
}

/// Makes the operations of one group from its rows.
macro_rules! define_operations {
    (
        $(#[doc = $group_doc:literal])+
        $group:ident as $variant:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $method:ident $path:literal {
                id: $id:literal, tag: $tag:literal, right: $right:ident, retry: $retry:ident,
                $(path: { $($part:ident: $kind:ident),+ },)?
                $(query: $query:ident,)?
                $(body: $body:ident,)?
                $(status: $status:literal,)?
                $(has_log_tag: $has_log_tag:literal,)?
                answer: $answer:ident, $answer_doc:literal,
                refusals: [$($refusal:ident),*],
            }
        )+
    ) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone)]
            pub struct $name {
                $($(
                    #[doc = concat!("`", stringify!($part), "` in the path.")]
                    pub $part: <super::parameters::$kind as PathPart>::Value,
                )+)?
                $(
                    /// The query parameters.
                    pub query: crate::$query,
                )?
                $(
                    /// The body.
                    pub body: crate::$body,
                )?
            }

            impl Operation for $name {
                type Query = type_or!(()$(, $query)?);
                type Body = type_or!(EmptyBody$(, $body)?);
                type Answer = crate::$answer;
                const PATH_PARTS: &'static [(&'static str, &'static str)] =
                    &[$($((stringify!($part), super::parameters::$kind::DESCRIPTION)),+)?];
                const ROW: OperationRow = OperationRow {
                    id: $id,
                    tag: $tag,
                    method: HttpMethod::$method,
                    path: $path,
                    right: OperationRight::$right,
                    retry: RetryClass::$retry,
                    refusals: &[$(ErrorCode::$refusal),*],
                    description: &[$($doc),+],
                    answer: $answer_doc,
                    $(status: $status,)?
                    $(has_log_tag: $has_log_tag,)?
                    ..OperationRow::DEFAULTS
                };

                fn check_path(path: &(dyn Fn(&str) -> String + Send + Sync)) -> Result<(), GateError> {
                    let _ = path;
                    $($(super::parameters::$kind::parse(&path(stringify!($part)))?;)+)?
                    Ok(())
                }

                fn from_request(request: OperationRequest<'_, Self>) -> Result<Self, GateError> {
                    let _ = &request;
                    Ok(Self {
                        $($($part: super::parameters::$kind::parse(&(request.path)(stringify!($part)))?,)+)?
                        $(query: { let query: crate::$query = request.query; query },)?
                        $(body: { let body: crate::$body = request.body; body },)?
                    })
                }

                fn into_any(self) -> AnyOperation {
                    AnyOperation::$variant(self.into())
                }

                #[cfg(feature = "openapi")]
                fn path_schemas() -> Vec<utoipa::openapi::RefOr<utoipa::openapi::Schema>> {
                    vec![$($(super::parameters::$kind::schema()),+)?]
                }
            }

            impl WireOperation for $name {
                fn row(&self) -> &'static OperationRow {
                    &Self::ROW
                }

                fn path_values(&self) -> Vec<(&'static str, String)> {
                    vec![$($((stringify!($part), super::parameters::$kind::format(&self.$part))),+)?]
                }

                $(fn query_pairs(&self) -> Vec<(&'static str, String)> {
                    <crate::$query as OperationQuery>::pairs(&self.query)
                })?

                $(fn encode_body(&self) -> serde_json::Result<Vec<u8>> {
                    serde_json::to_vec::<crate::$body>(&self.body)
                })?

                fn decode_answer(&self, body: &[u8]) -> serde_json::Result<AnyAnswer> {
                    serde_json::from_slice(body).map(|answer| self.answer(answer))
                }
            }
        )+

        $(#[doc = $group_doc])+
        #[derive(Debug, Clone)]
        pub enum $group {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                $name(Box<$name>),
            )+
        }

        $(impl From<$name> for $group {
            fn from(operation: $name) -> Self {
                Self::$name(Box::new(operation))
            }
        })+

        impl $group {
            fn as_wire(&self) -> &dyn WireOperation {
                match self {
                    $(Self::$name(operation) => &**operation,)+
                }
            }

            fn visit_all(visitor: &mut impl OperationVisitor) {
                $(visitor.visit::<$name>();)+
            }
        }
    };
}

call_operations! { define_operations }
thread_operations! { define_operations }
log_operations! { define_operations }
