//! The school with its studio: what writing, calling and representing need.

use banyan_rest::Settings;

use crate::support::{School, school_with, settings};

pub(crate) async fn studio() -> School {
    studio_with(settings()).await
}

pub(crate) async fn studio_with(settings: Settings) -> School {
    let school = school_with(settings).await;
    school.sql(include_str!("fixtures_studio.sql")).await;
    assert!(school.state.load().await, "the schema can be read");
    school
}
