//! A short soak: some months of traffic under doubtful clocks and changing policies. CI plays ten years.

use tollgate_harness::soak::{Figures, Plan, run};

#[test]
fn months_of_traffic_keep_the_bound_and_deny_nothing_needlessly() {
    let figures = run(Plan { days: 90, seed: 1 });
    println!("{figures}");
    let Figures { admitted, denied, never, late, settled, changes, clock_steps, wraps, bounds, .. } = figures;
    for seen in [admitted, denied, never, late, settled, changes, clock_steps, wraps, bounds] {
        assert!(seen > 0, "{figures}");
    }
}

#[test]
fn a_seed_says_it_all() {
    let plan = Plan { days: 3, seed: 7 };
    assert_eq!(run(plan), run(plan));
    assert_ne!(run(plan), run(Plan { seed: 8, ..plan }));
}
