//! Every input of the fuzz corpus, run by the body of its target: what once failed, and what is worth starting from, on stable.

use std::path::Path;
use std::{fs, panic};

use tollgate_harness::bodies::{BODIES, Body};

/// Runs every file of a target's corpus, and names the one that panics.
fn replay(target: &str) {
    let (_, body) = BODIES.into_iter().find(|(name, _)| *name == target).expect("a body for every target");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut cases: Vec<_> = fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty(), "no corpus");
    for case in cases {
        run(body, &case);
    }
}

fn run(body: Body, path: &Path) {
    let case = fs::read(path).unwrap();
    if panic::catch_unwind(|| body(&case)).is_err() {
        panic!("{} fails: {case:02x?}", path.display());
    }
}

macro_rules! replay {
    ($($target:ident),*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target));
            }
        )*

        #[test]
        fn none_is_left_out() {
            let mut replayed = [$(stringify!($target)),*];
            assert_eq!(BODIES.map(|(target, _)| target), replayed);
            replayed.sort();
            assert_eq!(targets(), replayed);
        }
    };
}

/// The targets that cargo-fuzz knows, in order.
fn targets() -> Vec<String> {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml")).unwrap();
    let binaries = manifest.split("[[bin]]\nname = \"").skip(1);
    let mut names: Vec<_> = binaries.map(|binary| binary.split('"').next().unwrap().to_owned()).collect();
    names.sort();
    names
}

replay!(policies, stores, layers, clocks, parsers, formatters);
