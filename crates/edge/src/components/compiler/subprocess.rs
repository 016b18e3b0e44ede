//! Compiles in a process of its own. So memory and processor time are bounded whatever the
//! component holds, and end with the process. The process knows neither the environment of this one
//! nor its files.
//!
//! The program starts itself for that: a program that hosts functions first calls
//! [`compile_if_asked`], which answers if the program was started to compile.

use std::{
    env, fs,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, Command, ExitCode, ExitStatus, Output, Stdio},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use rustix::process::{Resource, Rlimit, Signal, nice, setrlimit};

use crate::engine;

/// The argument that asks for a compilation: component on standard input, machine code on standard
/// output.
const COMPILE: &str = "__compile-component";
/// Most memory of a compilation in bytes. A whole engine of JavaScript takes half a gigabyte.
const MAX_MEMORY: u64 = 3 << 30;
/// Most processor time of a compilation in seconds, of all its threads together.
const MAX_CPU_SECONDS: u64 = 300;
/// How far compiling gives way to requests.
const NICE: i32 = 10;
/// Bytes that are kept of the reason why a component does not compile.
const MAX_REASON: usize = 4 << 10;

/// Whether this program answers [`COMPILE`].
static IS_AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Compiles what standard input holds, if this process was started for that. Otherwise components
/// are compiled in processes of this program from now on. Must be called first by the main function
/// of a program that hosts functions.
#[must_use]
pub fn compile_if_asked() -> Option<ExitCode> {
    if env::args_os().nth(1).is_none_or(|argument| argument != COMPILE) {
        IS_AVAILABLE.store(true, Relaxed);
        return None;
    }
    Some(match compile_input() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let reason = format!("{error:#}");
            // If this fails, nobody is left who could read it.
            io::stderr().write_all(&reason.as_bytes()[..reason.len().min(MAX_REASON)]).ok();
            ExitCode::FAILURE
        }
    })
}

fn compile_input() -> wasmtime::Result<()> {
    limit_this_process()?;
    let mut component = Vec::new();
    io::stdin().read_to_end(&mut component)?;
    let read_code = engine::for_inspection()?.precompile_component(&component)?;
    io::stdout().write_all(&read_code)?;
    Ok(())
}

/// Bounds this process and makes it give way. It has a low priority, it is the first to go if
/// memory is short, and it ends with the process that started it.
fn limit_this_process() -> io::Result<()> {
    let most = |figure| Rlimit { current: Some(figure), maximum: Some(figure) };
    setrlimit(Resource::As, most(MAX_MEMORY))?;
    setrlimit(Resource::Cpu, most(MAX_CPU_SECONDS))?;
    setrlimit(Resource::Core, most(0))?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // If the file may not be written, the kernel chooses as usual.
        fs::write("/proc/self/oom_score_adj", "1000").ok();
    }
    nice(NICE)?;
    Ok(())
}

/// Whether [`compile`] can be called: the program calls [`compile_if_asked`].
pub(super) fn is_available() -> bool {
    IS_AVAILABLE.load(Relaxed)
}

/// Compiles a component in a process of its own.
///
/// # Errors
/// What is wrong with the component, that it takes too much, or that no process can be started.
pub(super) fn compile(component: &[u8]) -> wasmtime::Result<Vec<u8>> {
    let mut process = start()?;
    let output = thread::scope(|scope| {
        let mut input = process.stdin.take().expect("it was asked for");
        // A process that ends early does not read all of it. Its exit status says why.
        scope.spawn(move || input.write_all(component).ok());
        process.wait_with_output()
    })?;
    read_code(output)
}

fn start() -> io::Result<Child> {
    let mut program = Command::new(program()?);
    // The process gets neither its parent's secrets nor the signals of its terminal.
    program.arg(COMPILE).env_clear().current_dir("/").process_group(0);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// The path of this program, also if another version has replaced its file.
fn program() -> io::Result<std::path::PathBuf> {
    let running = Path::new("/proc/self/exe");
    if running.exists() { Ok(running.to_owned()) } else { env::current_exe() }
}

fn read_code(output: Output) -> wasmtime::Result<Vec<u8>> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    Err(wasmtime::Error::msg(match output.status.signal() {
        None if !reason.is_empty() => reason.into_owned(),
        _ => limit_message(output.status, &reason),
    }))
}

fn limit_message(status: ExitStatus, reason: &str) -> String {
    let is = |signal: Signal| status.signal() == Some(signal.as_raw());
    if is(Signal::XCPU) || (is(Signal::KILL) && reason.is_empty()) {
        format!(
            "compiling it takes more than {MAX_CPU_SECONDS} s of processor time, or more memory than there is"
        )
    } else if reason.contains("memory allocation") {
        format!("compiling it takes more than {} GB of memory", MAX_MEMORY >> 30)
    } else {
        format!("compiling it ended with {status}")
    }
}
