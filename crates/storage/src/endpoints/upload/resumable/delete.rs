//! `DELETE`: gives an upload up (CONTRACT.md T06).

use banyan_web::Body;
use http::{Response, StatusCode};

use super::request::TusRequest;
use crate::{error::StorageError, error::TusRefusal, wire::tus::tus_answer};

pub(super) async fn delete(request: TusRequest) -> Result<Response<Body>, StorageError> {
    let found = request.find().await?;
    if found.is_finished {
        return Err(TusRefusal::Finished.into());
    }
    request.plan(&found, found.length).await?;
    request.open().await?.abort().await?;
    Ok(tus_answer(StatusCode::NO_CONTENT))
}
