//! The linker script of `measure`, which is the only program here that is run.

fn main() {
    println!("cargo:rustc-link-search={}", env!("CARGO_MANIFEST_DIR"));
    println!("cargo:rustc-link-arg-bin=measure=-Tlink.x");
    println!("cargo:rerun-if-changed=memory.x");
}
