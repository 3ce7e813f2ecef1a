# What the scripts here share: builds for a target without an operating system. Sourced, not run.
#
# `cargo` and `rustc` are those of the environment variables of that name, else those of the path. Where rustup has no library for the target, it is
# built from its source, if that lies beside the compiler (as Debian's `rust-web-src` puts it); the linker is then LLVM's `ld.lld`.

set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bare=$here/bare
built=${CARGO_TARGET_DIR:-$bare/target}
export RUSTC=${RUSTC:-rustc} CARGO_TARGET_DIR=$built

fail() {
    printf 'error: %s\n' "$1" >&2
    exit "${2:-1}"
}

usage() {
    printf '%s: usage: %s\n' "${0##*/}" "$1" >&2
    exit 2
}

need() {
    local program
    for program in "$@"; do
        [ -x "$(command -v "$program")" ] || fail "\`$program\` is needed, and is not in the path"
    done
}

# bare_cargo TARGET ARGUMENT...: cargo in the workspace of bare programs.
bare_cargo() {
    local target=$1 sysroot from_source=()
    shift
    sysroot=$("$RUSTC" --print sysroot)
    if [ ! -d "$sysroot/lib/rustlib/$target/lib" ]; then
        [ -d "$sysroot/lib/rustlib/src/rust/library/core" ] || fail \
            "$RUSTC has neither a library for $target nor its source: run \`rustup target add $target\`, or set RUSTC and CARGO to a compiler that has"
        need ld.lld
        from_source=(-Zbuild-std=core,compiler_builtins -Zbuild-std-features=compiler-builtins-mem)
        export RUSTC_BOOTSTRAP=1 CARGO_TARGET_THUMBV6M_NONE_EABI_LINKER=ld.lld CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld
    fi
    (cd "$bare" && "${CARGO:-cargo}" "$@" --locked --target "$target" "${from_source[@]}")
}
