//! What Markdown costs: for ordinary text and for texts that are made to break a parser, the milliseconds of processor
//! time that a megabyte takes to be read, to be made the document that is stored, and to be written as Markdown and as
//! JSON.
//!
//! `cargo bench -p content --bench markdown -- [parts of names]` goes through all texts, or those of these names. It
//! fails when a text takes more than [`CEILING`] to be read, or when ten times as much text takes more than [`MOST`]
//! times as long. It also prints by how much the time of memory alone grows on this machine, which excuses no text.
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

#[path = "../src/markdown/tests/inputs/mod.rs"]
mod inputs;

use content::document::wire::WireDocument;
use content::markdown::{Unresolved, parse_whole, write};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

/// The memory of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The lengths that are compared, in bytes.
const LENGTHS: [usize; 2] = [100_000, 1_000_000];
/// The milliseconds that a megabyte may take to be read and made a document.
const CEILING: f64 = 250.0;
/// So much longer may a text of ten times the length take.
const MOST: f64 = 12.0;
/// How often each length of a text is tried, in turns, for the least times. The number is fixed: to stop at the first
/// growth that is small enough would choose among the noise.
const TRIES: usize = 5;
/// How many bytes of memory a part of a text takes in the CommonMark parser, and after how many bytes of text one
/// begins where they are dense: what [`memory_growth`] compares with.
const PART: usize = 136;
const BYTES_FOR_A_PART: usize = 3;

/// The processor time of this thread in milliseconds.
fn processor_time() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 * 1e3 + now.tv_nsec as f64 / 1e6
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = processor_time();
    let made = black_box(work());
    (made, processor_time() - start)
}

/// How long a text takes to be read, made a document, written as Markdown and as JSON.
fn times_of(text: &str) -> [f64; 4] {
    let (source, read) = timed(|| parse_whole(text, &Unresolved));
    let (document, made) = timed(|| source.into_document());
    let Ok(document) = document else { return [read, made, 0.0, 0.0] };
    let (_, markdown) = timed(|| write(&document, &Unresolved));
    let (_, json) = timed(|| serde_json::to_vec(&WireDocument(&document)).expect("JSON"));
    [read, made, markdown, json]
}

/// How long the longer text takes for a megabyte, and by how much the time grows from the shorter one to it.
fn measured(make: &dyn Fn(usize) -> String) -> ([f64; 4], f64) {
    let texts = LENGTHS.map(make);
    let mut least = [[f64::MAX; 4]; 2];
    for _ in 0..TRIES {
        for (text, least) in texts.iter().zip(&mut least) {
            for (least, time) in least.iter_mut().zip(times_of(text)) {
                *least = least.min(time * 1e6 / text.len() as f64);
            }
        }
    }
    let [short, long] = least.map(|times| times.iter().sum::<f64>());
    (least[1], long / short * 10.0)
}

/// By how much the time grows that nothing but memory takes: to make as many parts as dense texts of [`LENGTHS`] have,
/// one by one, and to go through them twice.
fn memory_growth() -> f64 {
    let time_of = |length: usize| {
        let (_, time) = timed(|| {
            let mut parts = Vec::new();
            for at in 0..length / BYTES_FOR_A_PART {
                parts.push(black_box([at as u8; PART]));
            }
            (0..2).map(|_| black_box(&parts).iter().map(|part| usize::from(part[0])).sum::<usize>()).sum::<usize>()
        });
        time
    };
    let [short, long] = LENGTHS.map(|length| (0..TRIES).map(|_| time_of(length)).fold(f64::MAX, f64::min));
    long / short
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let (mut texts, mut slow, mut steep) = (0, Vec::new(), Vec::new());
    let memory = memory_growth();
    println!("memory alone takes {memory:.1} times as long for ten times as much");
    println!("    read document markdown     json growth");
    for (name, make) in inputs::inputs().into_iter().filter(|(name, _)| wanted(name)) {
        let (long, growth) = measured(&make);
        println!("{:8.1} {:8.1} {:8.1} {:8.1} {growth:6.1} {name}", long[0], long[1], long[2], long[3]);
        texts += 1;
        if long[0] + long[1] > CEILING {
            slow.push(format!("{:.0} ms: {name}", long[0] + long[1]));
        }
        if growth > MOST {
            steep.push(format!("{growth:.1} times: {name}"));
        }
    }
    println!("{} of {texts} texts take more than {CEILING} ms a megabyte to be read", slow.len());
    slow.iter().for_each(|text| println!("  {text}"));
    println!("{} of {texts} texts take more than {MOST} times as long for ten times as much", steep.len());
    steep.iter().for_each(|text| println!("  {text}"));
    assert!(slow.is_empty() && steep.is_empty(), "a text is too slow, or its time grows too much");
}
