//! Builders for parts of the OpenAPI document.

use serde_json::Value;
use utoipa::openapi::{
    ObjectBuilder, RefOr, Required,
    extensions::{Extensions, ExtensionsBuilder},
    header::{Header, HeaderBuilder},
    path::{Parameter, ParameterBuilder, ParameterIn},
    schema::{Schema, Type},
};

/// Creates a string schema with an example.
pub(crate) fn text(example: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).examples([example])
}

/// Creates a parameter. Only parameters in the path are required.
pub(crate) fn parameter(
    name: &str,
    place: ParameterIn,
    description: &str,
    schema: impl Into<RefOr<Schema>>,
) -> Parameter {
    let required = if place == ParameterIn::Path { Required::True } else { Required::False };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

/// Creates a response header.
pub(crate) fn header(description: &str, schema: impl Into<RefOr<Schema>>) -> Header {
    HeaderBuilder::new().description(Some(description)).schema(Some(schema)).build()
}

/// The member of an operation that says who may call it.
pub(crate) const ACCESS: &str = "x-access";

/// Creates the member that says who may call an operation.
pub(crate) fn access_extension(access: Value) -> Extensions {
    ExtensionsBuilder::new().add(ACCESS, access).build()
}
