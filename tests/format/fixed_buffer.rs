//! Every formatter without an allocator: into a buffer that is large enough, and into every one that is not.

use core::cell::Cell;
use core::fmt::{self, Display};
use core::time::Duration;
use std::alloc::{GlobalAlloc, Layout, System};

use tollgate::format::body::signals::{EdgeThrottle, Evaluation, Family};
use tollgate::format::body::survey;
use tollgate::format::body::text::TooManyRequests;
use tollgate::format::problem::{Problem, ProblemType};
use tollgate::format::sf::List;
use tollgate::format::x_ratelimit::XRateLimit;
use tollgate::format::{
    Denial, EXPOSED, Name, Quota, RenderError, RetryAfter, draft_06, draft_07, draft_10, json, render,
};
use tollgate::{Decision, Timestamp, Wait};

use crate::{denied, status};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts for each thread how often it was asked.
struct Counting;

// SAFETY: every call is passed on as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Hands every formatter to `take`.
fn each_formatter(mut take: impl FnMut(&dyn Display)) {
    const NAMES: [Name; 2] = [Name::constant("burst"), Name::constant("a \"daily\" quota")];
    const QUOTAS: [Quota; 2] =
        [Quota::new(100, Duration::from_secs(60)).with_burst(20), Quota::new(1000, Duration::from_secs(86_400))];
    let (decision, status) = (denied(Wait::from_secs(34)), status(100, 0, Wait::from_secs(34)));
    let retry_after = RetryAfter::new(decision).unwrap();

    take(&retry_after);
    take(&EXPOSED);
    let policies = [
        draft_10::Policy::new(NAMES[0], QUOTAS[0]).unit(draft_10::QuotaUnit::ContentBytes).partition_key(b"App-999"),
        draft_10::Policy::new(NAMES[1], QUOTAS[1]),
    ];
    take(&List::new(&policies).unwrap());
    let limits = NAMES.map(|name| draft_10::Limit::new(name, &status));
    take(&List::new(&limits).unwrap());
    take(&draft_07::RateLimit::new(decision, &status).and(&status));
    take(&draft_07::QuotaPolicies::new(&QUOTAS).unwrap());
    for (_, value) in draft_06::RateLimit::new(Decision::Allow, &status).fields() {
        take(&value);
    }
    let x = XRateLimit::new(decision, &status);
    take(&x.reset_after());
    take(&x.reset_at(Timestamp::from_secs(1_700_000_000)));

    take(&survey::PER_CLIENT);
    take(&survey::PER_API_KEY);
    take(&EdgeThrottle::new(100, retry_after, "203.0.113.9"));
    take(&Family::rest(retry_after));
    take(&Evaluation::new("req_9f2c…", retry_after));
    take(&TooManyRequests(retry_after));
    take(&Problem::new(ProblemType::QuotaExceeded, &NAMES).with_status().detail("\"why\"").instance("/requests/7"));
    let denial = Denial { endpoint: "/a b\n", key: "é", policy: "edge", retry_after, at: Timestamp::ZERO };
    take(&denial);
    take(&denial.json());
    take(&json::object(|own| own.member("list").array(|list| list.element().object(|o| o.member("n").null()))));
}

#[test]
fn rendering_allocates_nothing() {
    let before = ALLOCATIONS.get();
    let mut rendered = 0;
    each_formatter(|value| {
        let mut buffer = [0; 512];
        assert!(render(value, &mut buffer).is_ok_and(|text| !text.is_empty()));
        rendered += 1;
    });
    assert_eq!(ALLOCATIONS.get(), before);
    assert!(rendered > 20);
    assert_ne!(String::from("counted").len() + ALLOCATIONS.get(), 7 + before, "the allocator counts");
}

#[test]
fn a_buffer_that_is_too_small_is_an_error() {
    each_formatter(|value| {
        let whole = value.to_string();
        let needed = whole.len();
        for capacity in 0..needed {
            assert_eq!(render(value, &mut vec![0; capacity]), Err(RenderError::TooSmall { needed, capacity }));
        }
        assert_eq!(render(value, &mut vec![0; needed]), Ok(whole.as_str()));
        assert_eq!(render(value, &mut vec![0xFF; needed + 1]), Ok(whole.as_str()));
    });
}

#[test]
fn a_value_that_fails_is_an_error_of_its_own() {
    struct Fails;
    impl Display for Fails {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a part of it")?;
            Err(fmt::Error)
        }
    }
    assert_eq!(render(&Fails, &mut [0; 64]), Err(RenderError::Value));
    assert_eq!(render(&json::object(|o| o.member("a").string(Fails)), &mut [0; 64]), Err(RenderError::Value));
    assert_eq!(render("", &mut []), Ok(""));
}

#[test]
#[cfg(feature = "heapless")]
fn a_string_of_heapless_is_a_buffer() {
    use core::fmt::Write;

    each_formatter(|value| {
        let mut text = heapless::String::<512>::new();
        assert_eq!(write!(text, "{value}"), Ok(()));
        assert_eq!(text.as_str(), value.to_string());
    });
    assert_eq!(write!(heapless::String::<3>::new(), "{}", json::object(|_| ())), Ok(()));
    assert_eq!(write!(heapless::String::<1>::new(), "{}", json::object(|_| ())), Err(fmt::Error));
}
