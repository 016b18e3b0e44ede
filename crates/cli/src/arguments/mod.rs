//! The command line as types. Words and flags are those of the supabase CLI (CONTRACT.md).

/// `storage` and `seed`.
mod storage;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::storage::{SeedCommand, StorageCommand, StorageCopy, StoragePlace};

/// A Supabase-compatible backend in one binary.
#[derive(Debug, Parser)]
#[command(name = "banyan", version, propagate_version = true, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Folder of the project, or one below it
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) workdir: Option<PathBuf>,
    /// Log in detail
    #[arg(long, global = true)]
    pub(crate) debug: bool,
    /// Form of the result, of commands that have several
    #[arg(short, long, global = true, value_enum, default_value = "pretty")]
    pub(crate) output: Output,
    /// Move every port by this number, so that two checkouts of a project run beside each other
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) port_offset: u16,
    /// Answer every question with yes
    #[arg(long, global = true)]
    pub(crate) yes: bool,
}

/// Form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Pretty,
    Env,
    Json,
}

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Short lines for a person who looks on
    Text,
    /// One object a line
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write supabase/config.toml
    Init {
        /// Overwrite an existing file
        #[arg(long)]
        force: bool,
    },
    /// Start the stack and leave it running
    Start {
        /// Begin with new data where those of a project that is gone may be this one's
        #[arg(long)]
        new_data: bool,
    },
    /// Run the stack in the foreground until Ctrl-C
    Serve {
        /// Say what happens on standard output and log as JSON: how `start` runs it
        #[arg(long, hide = true)]
        detached: bool,
        /// Begin with new data where those of a project that is gone may be this one's
        #[arg(long)]
        new_data: bool,
        /// Form of the log: text on a terminal, else json
        #[arg(long, value_enum, value_name = "FORM")]
        log_format: Option<LogFormat>,
        /// One service instead of the stack
        #[command(subcommand)]
        service: Option<ServeCommand>,
    },
    /// Stop the stack
    Stop {
        /// Delete the database and the mails as well
        #[arg(long)]
        no_backup: bool,
    },
    /// Show addresses and keys of the running stack
    Status {
        /// Print a value under another name: api.url=NEXT_PUBLIC_SUPABASE_URL
        #[arg(long, value_name = "KEY=NAME", value_delimiter = ',')]
        override_name: Vec<String>,
    },
    /// Work on the database
    #[command(subcommand)]
    Db(DbCommand),
    /// Work on the migrations
    #[command(subcommand, visible_alias = "migrations")]
    Migration(MigrationCommand),
    /// Work on the edge functions
    #[command(subcommand)]
    Functions(FunctionsCommand),
    /// Manage the secrets that functions see
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Work on the objects of storage
    Storage {
        #[command(flatten)]
        place: StoragePlace,
        #[command(subcommand)]
        command: StorageCommand,
    },
    /// Put into the running stack what config.toml describes
    #[command(subcommand)]
    Seed(SeedCommand),
    /// Generate code from the running stack
    #[command(subcommand)]
    Gen(GenCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Only the data API, in front of any PostgreSQL; options also as PGRST_DB_URI and so on
    Rest {
        /// Options, one a line: db-uri = "postgresql://…"
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
        /// The same, as PostgREST takes it
        #[arg(value_name = "FILE", conflicts_with = "config")]
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Make the database anew: schemas, migrations, seeds
    Reset(Reset),
    /// Run SQL as the role postgres and print its rows
    Query {
        /// The statements; data for `copy … from stdin` in the lines below it, up to one that is
        /// `\.`. Without them they come from standard input
        #[arg(conflicts_with = "file")]
        sql: Option<String>,
        /// The file of the statements
        #[arg(short, long)]
        file: Option<PathBuf>,
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Reset {
    /// Apply migrations up to this version
    #[arg(long, conflicts_with = "last")]
    pub(crate) version: Option<String>,
    /// Leave out the last N migrations
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<usize>,
    /// Run no seeds
    #[arg(long, conflicts_with = "sql_paths")]
    pub(crate) no_seed: bool,
    /// Run these seeds instead of `db.seed.sql_paths`, relative to supabase/
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) sql_paths: Vec<String>,
    /// The running stack: the default, accepted as the supabase CLI has it
    #[arg(long)]
    pub(crate) local: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MigrationCommand {
    /// Write an empty migration, or what comes on standard input
    New {
        /// What it does, in a few words
        name: String,
    },
    /// Compare the files with the history of the database
    List {
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
    /// Apply what is pending
    Up {
        /// Also files older than the newest applied one
        #[arg(long)]
        include_all: bool,
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
    /// Change the history without running anything
    Repair {
        /// Versions; none means the history becomes what the files are
        versions: Vec<String>,
        /// What the versions become
        #[arg(long, value_enum)]
        status: RepairStatus,
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
}

/// What a version becomes in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RepairStatus {
    Applied,
    Reverted,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FunctionsCommand {
    /// Write a new function in Rust
    New {
        /// Name, also in its URL
        slug: String,
        /// Who may call it: anybody, whoever sends a key of the project (its code checks that), or
        /// users (the stack judges their token, the code that it is one)
        #[arg(long, value_enum, default_value = "apikey")]
        auth: FunctionAuth,
    },
    /// Build the functions to components
    Build {
        /// Names; none means all
        slugs: Vec<String>,
    },
    /// Build again whenever a source changes; the running stack takes each success over
    Serve(ServeFunctions),
    /// Build functions and bring them to a running stack
    Deploy(Deploy),
    /// List the functions of a running stack, or the kept versions of one
    List {
        /// Its name
        slug: Option<String>,
        #[command(flatten)]
        target: Target,
    },
    /// Take a function and all its versions away
    Delete {
        /// Its name
        slug: String,
        #[command(flatten)]
        target: Target,
    },
    /// Fetch a function's component
    Download {
        /// Its name
        slug: String,
        #[command(flatten)]
        target: Target,
    },
    /// Serve an earlier version of a function again
    Rollback {
        /// Its name
        slug: String,
        /// The version; that before the present one when left out
        #[arg(long, value_name = "N")]
        to: Option<u32>,
        #[command(flatten)]
        target: Target,
    },
    /// Show what functions wrote to their logs
    Logs {
        /// Only this function
        slug: Option<String>,
        /// Stay, and show what comes
        #[arg(long, short)]
        follow: bool,
        #[command(flatten)]
        target: Target,
    },
}

/// Who may call a new function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FunctionAuth {
    None,
    Apikey,
    User,
}

#[derive(Debug, Args)]
pub(crate) struct ServeFunctions {
    /// Refused with what builds one alone
    #[arg(hide = true)]
    pub(crate) slugs: Vec<String>,
    /// Let everybody call every function while this runs
    #[arg(long)]
    pub(crate) no_verify_jwt: bool,
    /// Variables that the functions see while this runs
    #[arg(long, value_name = "FILE")]
    pub(crate) env_file: Option<PathBuf>,
    /// For Deno alone: refused with the reason
    #[arg(long, hide = true, value_name = "FILE")]
    pub(crate) import_map: Option<PathBuf>,
    /// For Deno alone: refused with the reason
    #[arg(long, hide = true)]
    pub(crate) inspect: bool,
    /// For Deno alone: refused with the reason
    #[arg(long, hide = true, value_name = "MODE")]
    pub(crate) inspect_mode: Option<String>,
    /// For Deno alone: refused with the reason
    #[arg(long, hide = true)]
    pub(crate) inspect_main: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Deploy {
    /// Names; none means all
    pub(crate) slugs: Vec<String>,
    /// Let everybody call these functions
    #[arg(long)]
    pub(crate) no_verify_jwt: bool,
    /// Delete what was deployed and is no longer in the project
    #[arg(long)]
    pub(crate) prune: bool,
    /// The only way there is, accepted as the supabase CLI has it
    #[arg(long)]
    pub(crate) use_api: bool,
    /// Accepted as the supabase CLI has it; cargo decides how much it does at once
    #[arg(long, short, hide = true)]
    pub(crate) jobs: Option<u32>,
    #[command(flatten)]
    pub(crate) target: Target,
}

/// The running stack that is meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct Target {
    /// Admin address of a stack; this project's own when left out
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Its access token; this project's own when left out
    #[arg(long, env = "SUPABASE_ACCESS_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) access_token: Option<String>,
    /// Accepted as the supabase CLI has it; a stack has one project
    #[arg(long, value_name = "REF")]
    pub(crate) project_ref: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecretsCommand {
    /// Set secrets: functions see them at their next request
    Set {
        /// NAME=VALUE
        secrets: Vec<String>,
        /// Read them from a file
        #[arg(long, value_name = "FILE")]
        env_file: Option<PathBuf>,
        #[command(flatten)]
        target: Target,
    },
    /// List names and digests
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Take secrets away
    Unset {
        /// Names
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        target: Target,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum GenCommand {
    /// Types of the database for a client
    Types {
        /// Language
        #[arg(value_enum, default_value = "typescript")]
        language: Language,
        /// Schemas beside public and those of the API
        #[arg(long, short, value_delimiter = ',')]
        schema: Vec<String>,
        /// The running stack: the default
        #[arg(long)]
        local: bool,
    },
    /// A private key to sign tokens with, as a JWK
    SigningKey {
        /// What it signs with
        #[arg(long, value_enum, ignore_case = true, default_value = "ES256")]
        algorithm: SigningAlgorithm,
        /// Put it at the end of the file of auth.signing_keys_path, to be switched to later
        #[arg(long)]
        append: bool,
    },
    /// A token for the data API, signed with the project's first signing key
    BearerJwt(BearerJwt),
}

#[derive(Debug, Args)]
pub(crate) struct BearerJwt {
    /// Role in the database
    #[arg(long)]
    pub(crate) role: String,
    /// The user that the token speaks for
    #[arg(long)]
    pub(crate) sub: Option<String>,
    /// When it expires: 2026-12-31T00:00:00Z
    #[arg(long)]
    pub(crate) exp: Option<String>,
    /// How long it is valid: 30m, 24h
    #[arg(long, default_value = "30m")]
    pub(crate) valid_for: String,
    /// More claims, as JSON
    #[arg(long, default_value = "{}")]
    pub(crate) payload: String,
}

/// What a new signing key signs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SigningAlgorithm {
    #[value(name = "ES256")]
    Es256,
    #[value(name = "RS256")]
    Rs256,
}

/// Language of generated types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Typescript,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    // rows: CLI-STATUS-WORDS
    #[test]
    fn words_of_the_clients_own_suites_are_understood() {
        for words in [
            "banyan start --workdir test",
            "banyan start --new-data",
            "banyan db reset --workdir test",
            "banyan status --workdir test --output json",
            "banyan status -o env --override-name api.url=API,auth.anon_key=KEY",
            "banyan gen types typescript --local",
            "banyan gen signing-key --algorithm RS256 --append",
            "banyan gen bearer-jwt --role authenticated --sub 5f0c8e1e-0000-4000-8000-000000000001 --valid-for 1h",
            "banyan migration repair 20260101000000 --status applied",
            "banyan stop --no-backup",
            "banyan functions new hello --auth user",
            "banyan functions serve --no-verify-jwt --env-file supabase/functions/.env",
            "banyan functions deploy hello other --no-verify-jwt --use-api --jobs 2 --prune --project-ref abc",
            "banyan functions list --project-ref abc",
            "banyan functions delete hello --project-ref abc",
            "banyan functions download hello",
            "banyan functions rollback hello --to 3",
            "banyan functions logs hello --follow",
            "banyan secrets set A=1 B=2 --env-file x",
            "banyan secrets unset A B",
            "banyan secrets list",
            "banyan storage ls ss:///bucket/docs --local --experimental",
            "banyan storage ls --experimental --local",
            "banyan storage cp -r docs ss:///bucket/docs -j 4 --cache-control no-store --content-type text/plain",
            "banyan storage mv -r ss:///bucket/docs ss:///bucket/www/docs",
            "banyan --yes storage rm -r ss:///bucket/docs",
            "banyan seed buckets --local",
            "banyan serve",
            "banyan serve --log-format json",
            "banyan serve rest --config api.conf",
        ] {
            Arguments::try_parse_from(words.split(' ')).expect(words);
        }
    }
}
