#![no_main]

libfuzzer_sys::fuzz_target!(|case: &[u8]| tollgate_harness::bodies::clocks::run(case));
