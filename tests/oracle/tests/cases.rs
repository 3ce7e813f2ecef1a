//! Small cases, computed by hand. One row is one step: the policy, the time, what is done, and what comes of it.

use Do::{Charge, Check, Look, Refund};
use Gives::{Allow, Deny, ExpiresAt, Left, Never, Waits};
use tollgate_oracle::policy::{LAST_TIMESTAMP, LONGEST_NS};
use tollgate_oracle::{Answer, Kind, Model, Policy, Refill};

#[derive(Clone, Copy, Debug)]
enum Do {
    Check(u32),
    Charge(u32),
    Refund(u32),
    Look,
}

/// What a check answers, or what can be seen after the step, at its time.
#[derive(Clone, Copy, Debug)]
enum Gives {
    /// Allowed, and so much remains.
    Allow(u32),
    /// Denied for so long.
    Deny(u64),
    Never,
    /// So much remains.
    Left(u32),
    /// So long until more remains, and until the limit does.
    Waits(u64, u64),
    ExpiresAt(u64),
}

fn run(kind: Kind, steps: &[(Policy, u64, Do, Gives)]) {
    let mut model = Model::new(kind);
    for (row, &(policy, now, act, gives)) in steps.iter().enumerate() {
        let context = format!("row {row}: {act:?} at {now} under {policy:?} with {model:?}");
        let before = model.clone();
        let answer = match act {
            Check(cost) => Some(model.check(&policy, cost, now)),
            Charge(cost) => {
                model.charge(&policy, cost, now);
                None
            }
            Refund(cost) => {
                model.refund(&policy, cost, now);
                None
            }
            Look => None,
        };
        let remaining = model.remaining(&policy, now);
        let status = model.status(&policy, now);
        assert_eq!((status.limit, status.remaining), (policy.limit(), remaining), "{context}");
        match gives {
            Allow(left) => assert_eq!((answer, remaining), (Some(Answer::Allow), left), "{context}"),
            Deny(retry_after_ns) => {
                assert_eq!(answer, Some(Answer::Deny { retry_after_ns }), "{context}");
                assert_eq!(model, before, "{context}");
            }
            Never => {
                assert_eq!(answer, Some(Answer::Never), "{context}");
                assert_eq!(model, before, "{context}");
            }
            Left(left) => assert_eq!(remaining, left, "{context}"),
            Waits(more, full) => assert_eq!((status.more_after_ns, status.full_after_ns), (more, full), "{context}"),
            ExpiresAt(at) => {
                assert_eq!(model.expires_at(), at, "{context}");
                assert!(model.is_expired(at) && (at == 0 || !model.is_expired(at - 1)), "{context}");
            }
        }
    }
}

const WINDOW: Kind = Kind::FixedWindow;
const LOG: Kind = Kind::SlidingLog { capacity: None };
const BUCKET: Kind = Kind::TokenBucket;
const MAX: u32 = u32::MAX;

fn log_of(capacity: u32) -> Kind {
    Kind::SlidingLog { capacity: Some(capacity) }
}

fn window(quota: u32, window_ns: u64) -> Policy {
    Policy::FixedWindow { quota, window_ns, grid: None }
}

fn aligned(quota: u32, window_ns: u64, origin: u64) -> Policy {
    Policy::FixedWindow { quota, window_ns, grid: Some(origin) }
}

fn log(quota: u32, window_ns: u64) -> Policy {
    Policy::SlidingLog { quota, window_ns }
}

fn steady(quota: u32, window_ns: u64, burst: u32) -> Policy {
    Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Continuous }
}

fn interval(quota: u32, window_ns: u64, origin_ns: u64, burst: u32) -> Policy {
    Policy::TokenBucket { quota, window_ns, burst, refill: Refill::Interval { origin_ns } }
}

#[test]
fn a_window_opens_at_the_first_admission_and_ends_half_open() {
    let p = window(3, 10);
    run(
        WINDOW,
        &[
            (p, 4, Look, ExpiresAt(0)),
            (p, 5, Check(2), Allow(1)),
            (p, 14, Check(2), Deny(1)),
            (p, 14, Check(4), Never),
            (p, 15, Check(2), Allow(1)),
            (p, 3, Check(1), Allow(0)), // late: still in the window that ends at 25
            (p, 3, Check(1), Deny(22)),
            (p, 3, Check(0), Allow(0)),
            (p, 20, Look, Waits(5, 5)),
            (p, 25, Look, Waits(0, 0)),
        ],
    );
}

#[test]
fn an_aligned_window_ends_at_the_next_point() {
    let p = aligned(3, 10, 107);
    run(
        WINDOW,
        &[
            (p, 5, Check(3), Allow(0)),
            (p, 6, Check(1), Deny(1)),
            (p, 7, Check(1), Allow(2)),
            (p, 7, Look, ExpiresAt(17)),
            (p, 17, Check(1), Allow(2)),
            (p, 17, Look, ExpiresAt(27)),
        ],
    );
}

#[test]
fn the_end_of_a_window_stands_under_another_policy() {
    let (short, long) = (window(3, 10), window(5, 100));
    run(
        WINDOW,
        &[
            (short, 0, Check(3), Allow(0)),
            (long, 9, Check(2), Allow(0)),
            (long, 9, Check(1), Deny(1)),
            (short, 9, Look, Left(0)), // 5 used of 3
            (long, 10, Check(1), Allow(4)),
            (short, 30, Check(3), Deny(80)),
            (short, 30, Check(2), Allow(0)),
            (short, 30, Look, ExpiresAt(110)),
        ],
    );
}

#[test]
fn a_window_gives_back_what_still_counts() {
    let (p, long) = (window(3, 10), window(3, 100));
    run(
        WINDOW,
        &[
            (p, 0, Check(3), Allow(0)),
            (p, 10, Refund(3), Left(3)), // changes nothing: all of it has expired
            (p, 9, Look, Left(0)),
            (p, 4, Refund(2), Left(2)),
            (p, 4, Refund(9), Left(3)),
            (p, 4, Look, ExpiresAt(10)), // the end stands
            (p, 2, Check(1), Allow(2)),
            (p, 2, Look, ExpiresAt(12)),
            (long, 20, Check(1), Allow(2)),
            (long, 20, Refund(1), ExpiresAt(120)),
            (p, 30, Check(1), Allow(2)), // opens a new window, that ends no earlier than the one refunded
            (p, 30, Look, ExpiresAt(120)),
        ],
    );
}

#[test]
fn a_charged_window_owes_until_its_end() {
    let p = window(3, 10);
    run(
        WINDOW,
        &[
            (p, 0, Charge(0), ExpiresAt(0)),
            (p, 0, Charge(5), Left(0)),
            (p, 0, Look, Waits(10, 10)),
            (p, 1, Refund(3), Left(1)),
            (p, 2, Charge(MAX), Left(0)), // 2 and u32::MAX are u32::MAX
            (p, 2, Refund(MAX - 1), Left(2)),
            (p, 9, Charge(MAX), ExpiresAt(10)),
            (p, 10, Charge(MAX), ExpiresAt(20)),
            (p, 10, Check(1), Deny(10)),
        ],
    );
}

#[test]
fn a_window_may_end_after_the_last_timestamp() {
    let p = window(1, LONGEST_NS);
    run(
        WINDOW,
        &[
            (p, LAST_TIMESTAMP, Check(1), Allow(0)),
            (p, LAST_TIMESTAMP, Check(1), Deny(LONGEST_NS)),
            (p, 0, Check(1), Deny(LAST_TIMESTAMP + LONGEST_NS)),
            (p, 0, Look, ExpiresAt(LAST_TIMESTAMP + LONGEST_NS)),
        ],
    );
}

#[test]
fn a_log_remembers_each_admission() {
    let p = log(3, 10);
    run(
        LOG,
        &[
            (p, 0, Check(1), Allow(2)),
            (p, 4, Check(2), Allow(0)),
            (p, 9, Check(1), Deny(1)),
            (p, 9, Check(2), Deny(5)),
            (p, 9, Check(4), Never),
            (p, 10, Check(1), Allow(0)),
            (p, 10, Look, Waits(4, 10)),
            (p, 20, Look, Waits(0, 0)),
            (p, 20, Look, ExpiresAt(20)),
        ],
    );
}

#[test]
fn a_log_reads_a_late_time_as_its_last() {
    let p = log(3, 10);
    run(
        LOG,
        &[
            (p, 10, Check(1), Allow(2)),
            (p, 3, Check(1), Allow(1)),
            (p, 3, Look, ExpiresAt(20)),
            (p, 3, Check(2), Deny(17)),
        ],
    );
}

#[test]
fn a_full_log_denies_until_its_oldest_entry_expires() {
    let p = log(9, 10);
    run(
        log_of(2),
        &[
            (p, 0, Check(1), Allow(8)),
            (p, 0, Check(1), Allow(7)), // shares the entry
            (p, 3, Check(1), Allow(0)),
            (p, 3, Check(1), Deny(7)), // an equal time, too
            (p, 3, Check(8), Deny(7)),
            (p, 3, Check(9), Deny(10)),
            (p, 3, Look, Waits(7, 10)),
            (p, 10, Look, Left(8)),
        ],
    );
}

#[test]
fn entries_stand_under_another_policy() {
    let (long, short, small) = (log(3, 100), log(3, 10), log(1, 10));
    run(
        LOG,
        &[
            (long, 0, Check(1), Allow(2)),
            (short, 5, Check(1), Allow(1)), // not before the older one
            (short, 5, Look, ExpiresAt(100)),
            (small, 50, Check(1), Deny(50)),
            (short, 99, Look, Left(1)),
            (short, 100, Look, Left(3)),
            (short, 100, Check(1), Allow(2)),
            (long, 101, Check(1), Allow(1)),
            (short, 102, Look, Waits(8, 99)),
        ],
    );
}

#[test]
fn a_log_gives_back_its_newest_units_first() {
    let p = log(3, 10);
    run(
        LOG,
        &[
            (p, 0, Check(1), Allow(2)),
            (p, 4, Check(2), Allow(0)),
            (p, 5, Refund(1), Left(1)),
            (p, 10, Look, Left(2)),
            (p, 11, Refund(9), Left(3)), // the unit of 4; that of 0 does not count any more
            (p, 9, Look, Left(2)),       // but does at an earlier time
            (p, 9, Look, ExpiresAt(10)),
            (p, 9, Refund(9), Left(3)),
            (p, 9, Look, ExpiresAt(4)), // the time last read stands
            (p, 2, Check(1), Allow(2)),
            (p, 2, Look, ExpiresAt(14)),
        ],
    );
}

#[test]
fn a_charge_to_a_full_log_adds_to_the_newest_entry() {
    let p = log(3, 10);
    run(
        log_of(1),
        &[
            (p, 0, Check(1), Allow(0)),
            (p, 4, Charge(1), ExpiresAt(14)),
            (p, 10, Look, Left(0)),
            (p, 10, Look, Waits(4, 4)),
            (p, 10, Refund(1), Left(0)),
            (p, 10, Refund(1), Left(3)),
            (p, 10, Look, ExpiresAt(4)),
        ],
    );
}

#[test]
fn a_growing_log_has_room_for_charges_beyond_the_quota() {
    let p = log(2, 10);
    run(
        LOG,
        &[
            (p, 0, Check(1), Allow(1)),
            (p, 1, Check(1), Allow(0)),
            (p, 5, Charge(1), ExpiresAt(15)),
            (p, 10, Check(1), Deny(1)),
            (p, 11, Check(1), Allow(0)),
            (p, 11, Look, Waits(4, 10)),
        ],
    );
}

#[test]
fn a_log_counts_up_to_the_largest_u32() {
    let p = log(3, 10);
    run(
        LOG,
        &[
            (p, 0, Charge(1), Left(2)),
            (p, 2, Charge(MAX), Left(0)), // 1 and u32::MAX are u32::MAX
            (p, 2, Look, Waits(10, 10)),
            (p, 5, Charge(1), ExpiresAt(12)), // counts nothing, but moves the time
            (p, 3, Refund(MAX - 1), Left(2)),
            (p, 3, Refund(1), ExpiresAt(5)),
        ],
    );
}

#[test]
fn a_bucket_refills_exactly() {
    let p = steady(3, 10, 5); // a token each 3 1/3 ns
    run(
        BUCKET,
        &[
            (p, 0, Check(5), Allow(0)),
            (p, 0, Check(6), Never),
            (p, 0, Check(1), Deny(4)),
            (p, 3, Check(1), Deny(1)),
            (p, 4, Check(1), Allow(0)), // 0.2 left
            (p, 6, Check(1), Deny(1)),  // 0.8
            (p, 4, Look, Waits(3, 16)),
            (p, 4, Look, ExpiresAt(20)),
            (p, 20, Check(2), Allow(3)),
            (p, 20, Look, ExpiresAt(27)),
            (p, 5, Check(4), Deny(19)), // read as 20, and 3 1/3 ns more
            (p, 5, Check(3), Allow(0)),
            (p, 5, Look, ExpiresAt(37)), // 20 + 5 * 3 1/3
        ],
    );
}

#[test]
fn a_bucket_by_interval_refills_at_the_points() {
    let p = interval(3, 10, 40, 5);
    run(
        BUCKET,
        &[
            (p, 3, Check(5), Allow(0)),
            (p, 3, Check(1), Deny(7)),
            (p, 3, Check(4), Deny(17)),
            (p, 10, Check(1), Allow(2)),
            (p, 4, Look, Left(2)), // read as 10
            (p, 4, Look, Waits(16, 16)),
            (p, 4, Look, ExpiresAt(20)),
        ],
    );
}

#[test]
fn a_bucket_is_full_when_it_was_to_be_under_another_policy() {
    let (slow, fast) = (steady(1, 10, 1), steady(2, 100, 4));
    run(
        BUCKET,
        &[
            (slow, 0, Check(1), Allow(0)), // full at 10
            (fast, 0, Look, Left(3)),      // 0.2 missing
            (fast, 0, Check(4), Deny(10)),
            (slow, 9, Check(1), Deny(1)),  // looking has kept nothing
            (fast, 5, Check(1), Allow(2)), // 1.1 missing: full at 60
            (fast, 5, Look, ExpiresAt(60)),
            (slow, 5, Check(1), Deny(55)),
        ],
    );
}

#[test]
fn a_bucket_keeps_its_fraction_of_a_nanosecond_at_the_same_quota() {
    let (p, same, other) = (steady(3, 10, 5), steady(3, 20, 2), steady(1, 4, 1));
    run(
        BUCKET,
        &[
            (p, 0, Check(1), Allow(4)),     // full at 3 1/3
            (other, 0, Check(1), Deny(4)),  // full at 4: a whole token is missing
            (same, 0, Check(1), Allow(0)),  // 10/20 and 1 are missing: full at 10, exactly
            (same, 0, Look, ExpiresAt(10)), // from 4 it would be 10 2/3
        ],
    );
}

#[test]
fn a_steady_bucket_read_by_interval() {
    let (p, points) = (steady(3, 10, 3), interval(2, 10, 0, 4));
    run(
        BUCKET,
        &[
            (p, 0, Check(1), Allow(2)), // full at 3 1/3
            (points, 0, Look, Left(2)), // as if a quota came back then
            (points, 3, Look, Waits(1, 1)),
            (points, 4, Look, Left(4)), // expired, so full for every policy
            (points, 1, Check(1), Allow(1)),
            (points, 4, Look, Left(1)), // kept: from now on the grid's own points count
            (points, 10, Look, Left(3)),
            (points, 10, Look, ExpiresAt(20)),
        ],
    );
}

#[test]
fn a_bucket_by_interval_read_by_another_policy() {
    let p = interval(3, 10, 0, 9);
    run(
        BUCKET,
        &[
            (p, 1, Check(4), Allow(5)),                // full at 20, with 2 to spare
            (interval(2, 10, 0, 9), 1, Look, Left(6)), // 2 * 2 and 1 to spare
            (interval(5, 10, 0, 9), 1, Look, Left(1)), // 2 * 5 and 2 to spare
            (interval(3, 20, 0, 9), 1, Look, Left(8)), // 1 * 3 and 2 to spare
            (interval(3, 10, 5, 9), 1, Look, Left(0)), // 5, 15 and 20, none to spare
            (interval(3, 10, 5, 9), 15, Look, Left(6)),
            (interval(3, 10, 5, 9), 20, Look, Left(9)),
            (steady(1, 10, 9), 1, Look, Left(7)), // 1.9 missing
            (steady(1, 10, 9), 1, Check(2), Allow(5)),
            (steady(1, 10, 9), 1, Look, ExpiresAt(40)),
        ],
    );
}

#[test]
fn a_bucket_gives_tokens_back_as_of_the_time_last_read() {
    let p = steady(1, 10, 5);
    run(
        BUCKET,
        &[
            (p, 0, Check(2), Allow(3)),
            (p, 10, Check(3), Allow(1)),
            (p, 10, Refund(3), Left(4)),
            (p, 10, Look, ExpiresAt(20)),
            (p, 12, Refund(9), Left(5)),
            (p, 12, Look, ExpiresAt(10)), // not beyond full, and the time stands
            (p, 3, Check(5), Allow(0)),
            (p, 50, Refund(2), Left(5)), // one was still missing: full, and
            (p, 10, Look, Left(2)),      // as if three had been taken
            (p, 40, Refund(2), Left(5)), // changes nothing: it is full
            (p, 10, Look, Left(2)),
        ],
    );
    let p = interval(3, 10, 0, 5);
    run(
        BUCKET,
        &[
            (p, 9, Check(5), Allow(0)),
            (p, 9, Refund(2), Left(2)),
            (p, 10, Look, Left(5)),
            (p, 10, Look, ExpiresAt(10)),
            (p, 9, Refund(3), ExpiresAt(9)),
        ],
    );
}

#[test]
fn a_charged_bucket_is_in_debt() {
    let p = steady(1, 10, 5);
    run(BUCKET, &[(p, 0, Charge(0), ExpiresAt(0)), (p, 0, Charge(7), Left(0)), (p, 0, Look, Waits(30, 70))]);
    let p = interval(2, 10, 5, 5);
    run(BUCKET, &[(p, 0, Charge(8), Left(0)), (p, 0, Look, Waits(15, 35)), (p, 5, Charge(1), Waits(20, 40))]);
}

#[test]
fn a_charged_bucket_waits_no_longer_than_the_longest() {
    let p = steady(3, 1_000_000_000, 5);
    run(
        BUCKET,
        &[
            (p, 0, Charge(MAX), ExpiresAt(1_431_655_765_000_000_000)), // u32::MAX / 3 s
            (p, 0, Charge(MAX), ExpiresAt(2_863_311_530_000_000_000)),
            (p, 0, Charge(MAX), ExpiresAt(4_294_967_295_000_000_000)),
            (p, 1, Charge(MAX), ExpiresAt(1 + LONGEST_NS)),
            (p, 1, Check(5), Deny(LONGEST_NS)),
            (p, 0, Check(5), Deny(LONGEST_NS + 1)),
        ],
    );
    let p = steady(1, LONGEST_NS, 1);
    run(
        BUCKET,
        &[
            (p, LAST_TIMESTAMP, Charge(5), ExpiresAt(LAST_TIMESTAMP + LONGEST_NS)),
            (p, LAST_TIMESTAMP, Look, Waits(LONGEST_NS, LONGEST_NS)),
            (p, 0, Check(1), Deny(LAST_TIMESTAMP + LONGEST_NS)),
        ],
    );
    let (half, p) = (LONGEST_NS / 2, interval(1, LONGEST_NS / 2, 5, 1));
    run(
        BUCKET,
        &[
            (p, 7, Charge(9), ExpiresAt(5 + LONGEST_NS)), // the last point within reach of 7
            (p, 7, Look, Waits(LONGEST_NS - 2, LONGEST_NS - 2)),
            (p, 7, Refund(1), ExpiresAt(5 + half)),
        ],
    );
}

#[test]
fn a_refund_under_another_grid_never_takes() {
    let (zero, one) = (interval(2, LONGEST_NS, 0, 2), interval(2, LONGEST_NS, 1, 2));
    run(
        BUCKET,
        &[
            (zero, 1, Charge(MAX), ExpiresAt(LONGEST_NS)),
            (one, 1, Refund(1), ExpiresAt(LONGEST_NS)),
            (zero, 1, Refund(1), ExpiresAt(LONGEST_NS)),
            (zero, 1, Look, Left(1)),
            (one, 1, Refund(2), ExpiresAt(1)),
        ],
    );
}

#[test]
#[should_panic(expected = "is not remembered under policies like")]
fn a_log_under_the_policy_of_a_bucket_is_a_mistake() {
    Model::new(LOG).peek(&steady(1, 1, 1), 1, 0);
}

#[test]
#[should_panic(expected = "a log has room for one entry at least")]
fn a_log_without_room_is_a_mistake() {
    Model::new(log_of(0));
}
