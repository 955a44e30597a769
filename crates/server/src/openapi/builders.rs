//! Builders for parts of the API document.

use utoipa::openapi::{
    ObjectBuilder, RefOr, Required,
    header::{Header, HeaderBuilder},
    path::{Parameter, ParameterBuilder, ParameterIn},
    schema::{Schema, Type},
};

/// A text, with an example of it.
pub(crate) fn text(example: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).examples([example])
}

/// A parameter; one in the path is required, and no other is.
pub(crate) fn parameter(
    name: &str,
    place: ParameterIn,
    what: &str,
    schema: impl Into<RefOr<Schema>>,
) -> Parameter {
    let required = if place == ParameterIn::Path { Required::True } else { Required::False };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(required)
        .description(Some(what))
        .schema(Some(schema))
        .build()
}

/// A header of an answer.
pub(crate) fn header(what: &str, schema: impl Into<RefOr<Schema>>) -> Header {
    HeaderBuilder::new().description(Some(what)).schema(Some(schema)).build()
}
