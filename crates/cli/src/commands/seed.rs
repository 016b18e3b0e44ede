//! `banyan seed buckets`: makes the buckets of config.toml in the running stack (CONTRACT.md
//! CLI-SEED-BUCKETS).

use crate::{
    arguments::Global,
    bucket_seeds::{self, Steps},
    output, project,
    storage_client::StorageClient,
};

pub(crate) async fn buckets(global: &Global) -> anyhow::Result<()> {
    let config = project::load_beside_running(global)?;
    let client = StorageClient::of_running(&config)?;
    let overwrites = |id: &str| {
        let question = format!("Bucket {id} already exists. Do you want to overwrite its properties?");
        output::confirms(&question, global.yes, true)
    };
    let steps = Steps { tell: &|step| output::note(step), overwrites: &overwrites };
    bucket_seeds::seed(&client, &config, &steps).await
}
