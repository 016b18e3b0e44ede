use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum StorageCommand {
    /// List objects by path prefix
    Ls {
        /// ss:///bucket/docs; all buckets when left out
        #[arg(default_value = "ss:///")]
        path: String,
        /// List all that lies below, too
        #[arg(long, short)]
        recursive: bool,
    },
    /// Copy objects from src to dst path
    Cp(StorageCopy),
    /// Move objects from src to dst path
    Mv {
        /// ss:///bucket/docs
        src: String,
        /// ss:///bucket/www/docs
        dst: String,
        /// Move all that lies below, too
        #[arg(long, short)]
        recursive: bool,
    },
    /// Remove objects by file path
    Rm {
        /// ss:///bucket/docs/example.md; with -r all buckets when left out
        files: Vec<String>,
        /// Remove all that lies below, too
        #[arg(long, short)]
        recursive: bool,
    },
}

/// What is copied, and how.
#[derive(Debug, Clone, Args)]
pub(crate) struct StorageCopy {
    /// A file, or ss:///bucket/docs
    pub(crate) src: String,
    /// The other of the two
    pub(crate) dst: String,
    /// Copy all that lies below, too
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Cache-Control of uploads
    #[arg(long, default_value = "max-age=3600", value_name = "TEXT")]
    pub(crate) cache_control: String,
    /// Content-Type of uploads; found out when left out
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// Copies at a time
    #[arg(long, short, default_value_t = 1, value_name = "N")]
    pub(crate) jobs: usize,
}

/// Whose storage is meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoragePlace {
    /// The running stack: the default
    #[arg(long, global = true, conflicts_with = "linked")]
    pub(crate) local: bool,
    /// Refused: there is no linked project
    #[arg(long, global = true, hide = true)]
    pub(crate) linked: bool,
    /// Accepted as the supabase CLI has it
    #[arg(long, global = true, hide = true)]
    pub(crate) experimental: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SeedCommand {
    /// Make the buckets of [storage.buckets], and upload their files
    Buckets {
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
}
