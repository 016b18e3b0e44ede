//! Clients of S3 as they are published: the AWS SDK for JavaScript, the `aws` command and rclone
//! (storage/CONTRACT.md X01 to X10).
//!
//! The commands are looked for in `PATH`, into which `scripts/test` puts them. Where one is not to
//! be had, its trial is ignored, and the script says so.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

use crate::{NamedTrial, stack::Stack, supabase_js};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/s3_clients");

/// The SDK, whose packages are always there.
pub(crate) const TRIALS: &[NamedTrial] = &[("s3_clients::aws_sdk", |stack| {
    supabase_js::run_in(stack, Path::new(FOLDER), "aws_sdk.test.mjs", &[])
})];

/// A command, and its trial.
pub(crate) const COMMANDS: &[(&str, NamedTrial)] =
    &[("aws", ("s3_clients::aws", aws)), ("rclone", ("s3_clients::rclone", rclone))];

/// Whether a command is there.
pub(crate) fn is_there(command: &str) -> bool {
    let run = Command::new(command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// Larger than a part of either command.
const LARGE: usize = 18 << 20;

/// A folder with a small file and a large one.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir(folder.path().join("in"))?;
        std::fs::write(folder.path().join("in/small note.txt"), "small")?;
        let large: Vec<u8> = (0..LARGE).map(|at| (at % 251) as u8).collect();
        std::fs::write(folder.path().join("in/large.bin"), large)?;
        Ok(Self(folder))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn check_same(&self, one: &str, other: &str) -> anyhow::Result<()> {
        let read = |name: &str| std::fs::read(self.path(name)).with_context(|| name.to_owned());
        ensure!(read(one)? == read(other)?, "{one} and {other} differ");
        Ok(())
    }
}

/// Runs a command in the folder of the files; gives what it printed.
fn run(
    files: &Files,
    program: &str,
    environment: &[(&str, &str)],
    arguments: &[&str],
) -> anyhow::Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .envs(environment.iter().copied())
        .env("HOME", files.0.path())
        .current_dir(files.0.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complained = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {arguments:?}: {said}\n{complained}");
    Ok(said)
}

fn fetch(url: &str) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async { Ok(reqwest::get(url).await?.text().await?) })
}

fn aws(stack: &Stack) -> anyhow::Result<()> {
    let files = Files::new()?;
    let environment = [
        ("AWS_ACCESS_KEY_ID", stack.value("S3_PROTOCOL_ACCESS_KEY_ID")),
        ("AWS_SECRET_ACCESS_KEY", stack.value("S3_PROTOCOL_ACCESS_KEY_SECRET")),
        ("AWS_DEFAULT_REGION", stack.value("S3_PROTOCOL_REGION")),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    let endpoint = ["--endpoint-url", stack.value("STORAGE_S3_URL")];
    let aws = |arguments: &[&str]| run(&files, "aws", &environment, &[&endpoint, arguments].concat());
    aws(&["s3", "mb", "s3://aws-papers"])?;
    aws(&["s3", "cp", "--recursive", "in", "s3://aws-papers/in"])?;
    let listed = aws(&["s3", "ls", "--recursive", "s3://aws-papers"])?;
    ensure!(listed.contains("in/small note.txt") && listed.contains("in/large.bin"), "{listed}");
    let head = aws(&["s3api", "head-object", "--bucket", "aws-papers", "--key", "in/large.bin"])?;
    ensure!(head.contains("-3\\\""), "the large file went up in parts: {head}");
    aws(&["s3", "cp", "s3://aws-papers/in/large.bin", "out.bin"])?;
    files.check_same("in/large.bin", "out.bin")?;
    aws(&["s3", "mv", "s3://aws-papers/in/small note.txt", "s3://aws-papers/moved.txt"])?;
    aws(&["s3", "cp", "s3://aws-papers/in/large.bin", "s3://aws-papers/copied.bin"])?;
    aws(&["s3", "cp", "s3://aws-papers/copied.bin", "copied.bin"])?;
    files.check_same("in/large.bin", "copied.bin")?;
    let url = aws(&["s3", "presign", "s3://aws-papers/moved.txt"])?;
    ensure!(fetch(url.trim())? == "small", "a signed URL reads");
    aws(&["s3", "rb", "--force", "s3://aws-papers"])?;
    let buckets = aws(&["s3", "ls"])?;
    ensure!(!buckets.contains("aws-papers"), "{buckets}");
    Ok(())
}

fn rclone(stack: &Stack) -> anyhow::Result<()> {
    let files = Files::new()?;
    let environment = [
        ("RCLONE_CONFIG_BANYAN_TYPE", "s3"),
        ("RCLONE_CONFIG_BANYAN_PROVIDER", "Other"),
        ("RCLONE_CONFIG_BANYAN_ENDPOINT", stack.value("STORAGE_S3_URL")),
        ("RCLONE_CONFIG_BANYAN_REGION", stack.value("S3_PROTOCOL_REGION")),
        ("RCLONE_CONFIG_BANYAN_ACCESS_KEY_ID", stack.value("S3_PROTOCOL_ACCESS_KEY_ID")),
        ("RCLONE_CONFIG_BANYAN_SECRET_ACCESS_KEY", stack.value("S3_PROTOCOL_ACCESS_KEY_SECRET")),
        ("RCLONE_S3_UPLOAD_CUTOFF", "5M"),
        ("RCLONE_S3_CHUNK_SIZE", "5M"),
        ("RCLONE_S3_COPY_CUTOFF", "5M"),
        ("RCLONE_RETRIES", "1"),
    ];
    let rclone = |arguments: &[&str]| run(&files, "rclone", &environment, arguments);
    rclone(&["mkdir", "banyan:rclone-papers"])?;
    rclone(&["sync", "in", "banyan:rclone-papers/in"])?;
    // Sizes, times and MD5 of both sides.
    rclone(&["check", "--download", "in", "banyan:rclone-papers/in"])?;
    let again = rclone(&["sync", "--stats-one-line", "--stats=1h", "-v", "in", "banyan:rclone-papers/in"])?;
    ensure!(!again.contains("Copied"), "nothing changed: {again}");
    let listed = rclone(&["lsf", "--recursive", "banyan:rclone-papers"])?;
    ensure!(listed.contains("in/") && listed.contains("in/small note.txt"), "{listed}");
    rclone(&["copyto", "banyan:rclone-papers/in/large.bin", "banyan:rclone-papers/copied.bin"])?;
    rclone(&["copyto", "banyan:rclone-papers/copied.bin", "copied.bin"])?;
    files.check_same("in/large.bin", "copied.bin")?;
    let url = rclone(&["link", "banyan:rclone-papers/in/small note.txt"])?;
    ensure!(fetch(url.trim())? == "small", "a signed URL reads");
    rclone(&["delete", "banyan:rclone-papers/in/large.bin"])?;
    let versions = rclone(&["lsf", "--recursive", "--s3-versions", "banyan:rclone-papers"])?;
    ensure!(versions.contains("copied.bin") && !versions.contains("large.bin"), "{versions}");
    rclone(&["purge", "banyan:rclone-papers"])?;
    let buckets = rclone(&["lsd", "banyan:"])?;
    ensure!(!buckets.contains("rclone-papers"), "{buckets}");
    Ok(())
}
