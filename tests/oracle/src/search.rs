//! The two searches that stand in for formulas.

/// The earliest time after `now` at which `passes` holds. It does not hold at `now`, and once it holds, it holds for good.
pub(crate) fn earliest(now: u64, passes: impl Fn(u64) -> bool) -> u64 {
    let mut denied = now;
    let mut step = 1;
    let mut allowed = loop {
        let later = now.saturating_add(step);
        if passes(later) {
            break later;
        }
        assert!(later < u64::MAX, "what is within the limit passes at some time");
        denied = later;
        step = step.saturating_mul(2);
    };
    while allowed - denied > 1 {
        let middle = denied + (allowed - denied) / 2;
        if passes(middle) {
            allowed = middle;
        } else {
            denied = middle;
        }
    }
    allowed
}

/// The largest cost up to `limit` for which `passes` holds, 0 if there is none. What passes for a cost, passes for a smaller one.
pub(crate) fn largest(limit: u32, passes: impl Fn(u32) -> bool) -> u32 {
    if passes(limit) {
        return limit;
    }
    let (mut allowed, mut denied) = (0, limit);
    while denied - allowed > 1 {
        let middle = allowed + (denied - allowed) / 2;
        if passes(middle) {
            allowed = middle;
        } else {
            denied = middle;
        }
    }
    allowed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earliest_finds_the_edge() {
        for now in [0, 1, 77, 1 << 40, (1 << 63) - 1] {
            for wait in [1, 2, 3, 4, 5, 1000, (1 << 62) - 1, 1 << 62, u64::MAX - now] {
                let edge = now.saturating_add(wait);
                assert_eq!(earliest(now, |time| time >= edge), edge);
            }
        }
    }

    #[test]
    fn largest_finds_the_edge() {
        for limit in [1, 2, 3, 10, u32::MAX] {
            for edge in [0, 1, 2, limit / 2, limit - 1, limit] {
                let edge = edge.min(limit);
                assert_eq!(largest(limit, |cost| cost <= edge), edge);
            }
        }
    }
}
