//! Bodies as text: media types, and values as they are sent and shown.
pub(crate) mod media_type;
pub(crate) mod pretty;
#[cfg(test)]
mod tests;
mod text;
mod xml;

pub(crate) use media_type::{Form, MediaType};
pub(crate) use pretty::json;
pub(crate) use text::{scalar, text};
