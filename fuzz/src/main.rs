//! Runs targets on seeds and mutations of them, without a nightly compiler: `cargo run SECONDS [TARGET]...` in this folder gives each
//! target so much time, all of them where none is named. Runs differ only in how far they get.
//!
//! Seeds are the files in `corpus/`, and for targets that read HTML the golden pages of the filters and the pages in the folder
//! that `GLEANER_WCXB` names.

use std::{
    env, fs,
    io::Read as _,
    num::NonZero,
    panic::catch_unwind,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use gleaner_fuzz::{TARGETS, Target};

/// Targets that read HTML.
const OF_PAGES: [&str; 3] = ["body", "page", "tree"];

/// Longest part of a seed that is mutated, but for one input in [`WHOLE`], which is a whole seed.
const MAX_PART: usize = 400;
const WHOLE: usize = 5000;

/// Longest seed that every other input has whole: a part of a picture is none.
const MAX_WHOLE: usize = 1000;

/// Most mutations of an input, and the longest text that one of them copies from a seed.
const MAX_MUTATIONS: usize = 8;
const MAX_COPIED: usize = 60;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(seconds) = arguments.next().and_then(|seconds| seconds.parse().ok()) else {
        eprintln!("usage: gleaner-fuzz SECONDS [TARGET]...");
        return ExitCode::from(64);
    };
    let wanted: Vec<String> = arguments.collect();
    let targets =
        TARGETS.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name));
    let waiting = Mutex::new(targets);
    let work = || {
        let mut succeeded = true;
        loop {
            let next = waiting.lock().expect("nothing panics with it").next();
            let Some((name, target)) = next else { return succeeded };
            succeeded &= run(name, target, Duration::from_secs(seconds));
        }
    };
    let succeeded = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().all(|thread| thread.join().is_ok_and(|succeeded| succeeded))
    });
    ExitCode::from(u8::from(!succeeded))
}

/// Tries a target until the time is over or it panics.
fn run(name: &str, target: Target, time: Duration) -> bool {
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "no seeds for {name}");
    let start = Instant::now();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut inputs = 0;
    while start.elapsed() < time {
        let input = seeds.get(inputs).cloned().unwrap_or_else(|| random.input(&seeds));
        inputs += 1;
        if catch_unwind(|| target(&input)).is_err() {
            let file = env::temp_dir().join(format!("gleaner-fuzz-{name}"));
            let written = fs::write(&file, &input);
            println!("{name}: input {inputs} failed, {} ({written:?})", file.display());
            return false;
        }
    }
    println!("{name}: {inputs} inputs, {} of them seeds", seeds.len().min(inputs));
    true
}

/// Files are read in the order of their names, so that each run has the same inputs.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files(&fuzz.join("corpus").join(name));
    if OF_PAGES.contains(&name) {
        files.extend(
            OF_PAGES
                .iter()
                .filter(|other| **other != name)
                .flat_map(|other| self::files(&fuzz.join("corpus").join(other))),
        );
        let cases = self::files(&fuzz.join("../filters/tests/pages"));
        files.extend(cases.iter().map(|case| case.join("source.html")).filter(|page| page.is_file()));
        if let Some(saved) = env::var_os("GLEANER_WCXB") {
            files.extend(self::files(&Path::new(&saved).join("html")));
        }
    }
    files.iter().map(|file| read(file)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.sort();
    files
}

fn read(file: &Path) -> Vec<u8> {
    let mut bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if file.extension().is_some_and(|ending| ending == "gz") {
        let packed = std::mem::take(&mut bytes);
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("it is gzip");
    }
    bytes
}

/// xorshift64 (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    /// Short values are as likely as long ones.
    fn length(&mut self, most: usize) -> usize {
        let most = 1 + self.below(most);
        self.below(most + 1)
    }

    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let seed = &seeds[self.below(seeds.len())];
        let is_whole = self.below(WHOLE) == 0 || seed.len() <= MAX_WHOLE && self.below(2) == 0;
        let mut input = if is_whole { seed.clone() } else { self.part(seed, MAX_PART).to_vec() };
        for _ in 0..self.below(MAX_MUTATIONS + 1) {
            self.mutate(&mut input, seeds);
        }
        input
    }

    fn part<'a>(&mut self, of: &'a [u8], most: usize) -> &'a [u8] {
        let start = self.below(of.len());
        let length = self.length(most).min(of.len() - start);
        &of[start..start + length]
    }

    /// Replaces a short stretch by nothing, random bytes or signs, or a part of a seed.
    fn mutate(&mut self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        const SIGNS: &[u8] = b"<>/!-&;=#'\"?[] \t\n\r\x0c\0aAxX09.:,\xc3\xbf";
        let start = self.below(input.len() + 1);
        let end = (start + self.length(MAX_COPIED) * self.below(2)).min(input.len());
        let new = match self.below(4) {
            0 => Vec::new(),
            1 => (0..=self.below(4)).map(|_| SIGNS[self.below(SIGNS.len())]).collect(),
            2 => (0..=self.below(4)).map(|_| self.below(256) as u8).collect(),
            _ => {
                let seed = &seeds[self.below(seeds.len())];
                let copied = self.part(seed, MAX_COPIED);
                // Markup is more telling than text.
                let tag = copied.iter().position(|byte| matches!(byte, b'<' | b'&'));
                copied[tag.unwrap_or(0)..].to_vec()
            }
        };
        input.splice(start..end, new);
    }
}
