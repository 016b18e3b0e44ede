use bytes::Bytes;
use crate::{error::Error, schema::Catalog, settings::Settings};
pub(super) fn document(_: &str, _: &Bytes, _: &Catalog, _: &Settings) -> Result<Bytes, Error> { Err(Error::Path) }
