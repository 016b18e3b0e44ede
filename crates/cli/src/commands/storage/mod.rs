//! `banyan storage`: works on the objects of the running stack (CONTRACT.md CLI-STORAGE).

/// Paths of the form `ss:///bucket/name`.
mod remote_path;

/// `ls`.
mod list;

/// `cp`.
mod copy;

/// `mv`.
mod move_objects;

/// `rm`.
mod remove;

use anyhow::bail;

use self::remote_path::RemotePath;
use crate::{
    arguments::{Global, StorageCommand, StoragePlace},
    output, project,
    storage_client::StorageClient,
};

pub(crate) async fn run(
    global: &Global,
    place: &StoragePlace,
    command: &StorageCommand,
) -> anyhow::Result<()> {
    if place.linked {
        bail!("there is no linked project: `banyan storage` works on the running stack, as with --local");
    }
    let config = project::load_beside_running(global)?;
    let client = StorageClient::of_running(&config)?;
    match command {
        StorageCommand::Ls { path, recursive } => {
            list::run(&client, &RemotePath::parse(path)?, *recursive).await
        }
        StorageCommand::Cp(options) => copy::run(&client, &config, options).await,
        StorageCommand::Mv { src, dst, recursive } => {
            let (from, to) = (RemotePath::parse(src)?, RemotePath::parse(dst)?);
            move_objects::run(&client, &from, &to, *recursive).await
        }
        StorageCommand::Rm { files, recursive } => {
            let paths: Vec<_> = files.iter().map(|file| RemotePath::parse(file)).collect::<Result<_, _>>()?;
            let confirm = |question: &str| output::confirms(question, global.yes, false);
            remove::run(&client, &paths, *recursive, confirm).await
        }
    }
}
