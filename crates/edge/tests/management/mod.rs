//! What management commands ask of a running stack (CONTRACT.md W01 to W08, G01 to G13).

mod change_locks;
mod function_resource;
mod logs;
mod policies;
mod settings;
mod versions;

use std::fs;

use banyan_edge::Timings;
use banyan_testkit::Answer;
use http::Method;

use crate::support::{World, component};

const WASM: &str = "application/wasm";
const JSON: &str = "application/json";

async fn deploy(world: &World, slug: &str, guest: &str) -> Answer {
    deploy_as(world, slug, guest, "&verify_jwt=false").await
}

async fn deploy_as(world: &World, slug: &str, guest: &str, policy: &str) -> Answer {
    let component = fs::read(component(guest)).unwrap();
    let path = format!("/functions/deploy?slug={slug}{policy}");
    world.manage(Method::POST, &path, WASM, component).await
}

async fn empty() -> World {
    World::start(&[], "", "", Timings::default()).await
}
