//! The allocator, and how memory that a start or a compilation used is given back to the system.

use std::{
    fs,
    ops::Range,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::Duration,
};

use rustix::mm::{Advice, madvise};

/// The allocator for a program that hosts functions. An instance allocates more than a hundred
/// small pieces, and frees them on whatever thread it ends. With the C library's allocator the same
/// request takes a third more CPU time.
pub use mimalloc::MiMalloc as Allocator;

/// How long [`trim_heap_soon`] waits.
const DELAY: Duration = Duration::from_secs(1);

/// Gives back free pieces of the heap, and pages of this program's own file that the start or a
/// compilation touched. Those pages are mapped again from the system's cache once their code runs.
/// Takes a few milliseconds.
pub fn trim_memory() {
    trim_heap();
    match (std::env::current_exe(), fs::read_to_string("/proc/self/maps")) {
        (Ok(program), Ok(maps)) => read_only_mappings(&maps, &program).for_each(drop_pages),
        (Err(error), _) | (_, Err(error)) => {
            tracing::debug!(error = %error, "pages of the program stay in memory");
        }
    }
}

/// Gives back free pieces of the heap. The allocator would keep them for its threads: a compilation
/// leaves tens of megabytes.
#[expect(unsafe_code, reason = "the allocator is a library in C")]
pub(crate) fn trim_heap() {
    // SAFETY: it takes no pointer, and what is allocated stays where it is.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Calls [`trim_heap`] in a moment, once for all who ask until then. It is delayed because the
/// caller itself is about to be freed.
pub(crate) fn trim_heap_soon() {
    static IS_ASKED: AtomicBool = AtomicBool::new(false);
    if IS_ASKED.swap(true, Relaxed) {
        return;
    }
    let trim = || {
        thread::sleep(DELAY);
        IS_ASKED.store(false, Relaxed);
        trim_heap();
    };
    if thread::Builder::new().name("give-back".to_owned()).spawn(trim).is_err() {
        IS_ASKED.store(false, Relaxed);
    }
}

/// The mappings of a program's file that nothing ever writes: its code, and the constants at its
/// start. Other mappings hold relocated addresses.
fn read_only_mappings<'a>(maps: &'a str, program: &'a Path) -> impl Iterator<Item = Range<usize>> + 'a {
    maps.lines().filter_map(move |line| {
        let mut fields = line.splitn(6, ' ');
        let (range, access, offset) = (fields.next()?, fields.next()?, fields.next()?);
        let is_program = fields.nth(2)?.trim_start() == program.to_str()?;
        let is_code = access == "r-xp";
        let is_constants = access == "r--p" && offset.bytes().all(|digit| digit == b'0');
        let (start, end) = range.split_once('-')?;
        let address = |digits| usize::from_str_radix(digits, 16).ok();
        (is_program && (is_code || is_constants)).then_some(address(start)?..address(end)?)
    })
}

#[expect(unsafe_code, reason = "advice about memory takes a plain address")]
fn drop_pages(range: Range<usize>) {
    let start = std::ptr::with_exposed_provenance_mut(range.start);
    // SAFETY: the range is a private mapping of this program's file. It stays mapped as long as the
    // process lives, and nothing writes it. Dropped pages come back from the file with the same
    // bytes.
    if let Err(error) = unsafe { madvise(start, range.len(), Advice::LinuxDontNeed) } {
        tracing::debug!(error = %error, "pages of the program stay in memory");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_and_constants_of_the_program_are_trimmed() {
        let maps = "\
1000-3000 r--p 00000000 08:01 7                          /opt/a b/banyan
3000-6000 r-xp 00002000 08:01 7                          /opt/a b/banyan
6000-7000 r--p 00005000 08:01 7                          /opt/a b/banyan
7000-8000 rw-p 00006000 08:01 7                          /opt/a b/banyan
8000-9000 rw-p 00000000 00:00 0                          [heap]
a000-b000 r-xp 00000000 08:01 8                          /var/components/compiled/x.cwasm
c000-d000 r-xp 00000000 00:00 0 
";
        let found: Vec<_> = read_only_mappings(maps, Path::new("/opt/a b/banyan")).collect();
        assert_eq!(found, [0x1000..0x3000, 0x3000..0x6000]);
    }

    #[test]
    fn the_running_program_is_found_and_runs_on_after_its_memory_was_trimmed() {
        let program = std::env::current_exe().unwrap();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        assert!(read_only_mappings(&maps, &program).count() >= 2, "{maps}");
        let kept = vec![7; 1 << 20];
        trim_memory();
        assert!(kept.iter().all(|byte| *byte == 7));
    }
}
