//! Compiling in a process of its own, so that what it takes of memory and processor time is bounded whatever the component
//! holds, and ends with it. The process knows neither the environment of this one nor its files.
//!
//! The program asks itself: a program that hosts functions calls [`compile_if_asked`] before anything else, and answers
//! there when it was started for this.

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

/// The argument by which the program is asked: component on standard input, machine code on standard output.
const COMPILE: &str = "__compile-component";
/// Most memory of a compilation in bytes. A whole engine of JavaScript takes half a gigabyte.
const MEMORY: u64 = 3 << 30;
/// Most processor time of a compilation in seconds, of all its threads together.
const CPU: u64 = 300;
/// How far compiling gives way to what answers requests.
const NICE: i32 = 10;
/// Most that is kept of why a component does not compile, in bytes.
const MAX_REASON: usize = 4 << 10;

/// Whether this program answers [`COMPILE`].
static IS_AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Compiles what standard input holds, where this process was started to do that; otherwise components are compiled in
/// processes of this program from now on. To be called by the main function of a program that hosts functions, first.
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
            // Nobody is left to tell it to where this fails.
            io::stderr().write_all(&reason.as_bytes()[..reason.len().min(MAX_REASON)]).ok();
            ExitCode::FAILURE
        }
    })
}

fn compile_input() -> wasmtime::Result<()> {
    bound()?;
    let mut component = Vec::new();
    io::stdin().read_to_end(&mut component)?;
    let read_code = engine::for_inspection()?.precompile_component(&component)?;
    io::stdout().write_all(&read_code)?;
    Ok(())
}

/// Bounds this process and has it give way: to others while there is a choice, and first where memory is short. It ends with
/// the process that started it.
fn bound() -> io::Result<()> {
    let most = |figure| Rlimit { current: Some(figure), maximum: Some(figure) };
    setrlimit(Resource::As, most(MEMORY))?;
    setrlimit(Resource::Cpu, most(CPU))?;
    setrlimit(Resource::Core, most(0))?;
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // Where it may not be written the kernel chooses as ever.
        fs::write("/proc/self/oom_score_adj", "1000").ok();
    }
    nice(NICE)?;
    Ok(())
}

/// Whether [`compile`] can be called: the program answers for itself.
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
        // It does not take all of it where it ends before, which its status tells.
        scope.spawn(move || input.write_all(component).ok());
        process.wait_with_output()
    })?;
    read_code(output)
}

fn start() -> io::Result<Child> {
    let mut program = Command::new(program()?);
    // Neither its parent's secrets nor its terminal's signals are its own.
    program.arg(COMPILE).env_clear().current_dir("/").process_group(0);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// This program, also where another version lies at its place by now.
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
        format!("compiling it takes more than {CPU} s of processor time, or more memory than there is")
    } else if reason.contains("memory allocation") {
        format!("compiling it takes more than {} GB of memory", MEMORY >> 30)
    } else {
        format!("compiling it ended with {status}")
    }
}
