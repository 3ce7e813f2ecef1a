//! What is drawn: a key's traffic as each policy took it, and everybody's over time. How it is drawn is in [`figure`](crate::figure).

use crate::figure::{Figure, Mark, Role, Row, Strip};
use crate::judge::Policy;
use crate::overview::{Counts, Overview};
use crate::table::{date, length};
use crate::timeline::Bins;
use crate::trace::{Lane, Trace};

/// Bins of a picture at most: some three pixels each.
pub(crate) const MOST_BINS: usize = 240;

/// A picture by itself, and one on a page, in pixels: the latter is still legible on a phone.
pub(crate) const WIDE: i32 = 960;
pub(crate) const NARROW: i32 = 480;

/// One key's traffic, a row for each policy.
pub(crate) fn of_key(trace: &Trace, key: &str, width: i32) -> Figure {
    let lanes = &trace.lanes;
    let (first, last) = trace.span;
    let mut legend = Vec::new();
    for (role, name, seen) in [
        (Role::Allowed, "allowed", true),
        (Role::Denied, "denied", lanes.iter().any(|lane| lane.total.denied > 0)),
        (Role::Never, "above the limit, can never pass", lanes.iter().any(|lane| lane.total.never > 0)),
        (Role::Elsewhere, "refused by another policy", lanes.iter().any(|lane| lane.total.elsewhere > 0)),
        (Role::Used, "admitted in the last window", true),
    ] {
        if seen {
            legend.push((role, Mark::Area, name.to_owned()));
        }
    }
    legend.push((Role::Remaining, Mark::Line, "remaining".to_owned()));
    legend.push((Role::Quota, Mark::Line, "quota".to_owned()));
    if lanes.iter().any(|lane| lane.policy.bound() > lane.policy.quota().into()) {
        legend.push((Role::Bound, Mark::Line, "bound: the most in any interval of one window".to_owned()));
    }

    // Levels are compared by eye only where they are of windows of one length.
    let alike = lanes.windows(2).all(|pair| pair[0].policy.window() == pair[1].policy.window());
    let highest = lanes.iter().map(highest).max().unwrap_or(0);
    let busiest =
        lanes.iter().map(|lane| busiest(&lane.bars, |bar| bar.allowed + bar.denied + bar.never + bar.elsewhere));
    let busiest = busiest.max().unwrap_or(0);
    let row = |lane| of_lane(lane, &trace.bins, busiest, if alike { highest } else { self::highest(lane) });
    Figure {
        id: "key",
        width,
        title: title_of_key(trace, key),
        lead: format!("{} in {}, {} to {}", requests(trace.requests), length(last - first), date(first), date(last)),
        description: lanes.iter().map(described).collect::<Vec<_>>().join(" "),
        legend,
        bins: trace.bins,
        rows: lanes.iter().map(row).collect(),
    }
}

/// What [`of_key`] is called, there and on the page.
pub(crate) fn title_of_key(trace: &Trace, key: &str) -> String {
    let who = if trace.lanes.len() == 1 { "the policy" } else { "each policy" };
    format!("What {who} makes of {key}")
}

fn of_lane(lane: &Lane, bins: &Bins, busiest: u64, highest: u64) -> Row {
    let Lane { policy, bars, levels, .. } = lane;
    let bars = |count: fn(&crate::trace::Bar) -> u64| bars.iter().map(count).collect::<Vec<_>>();
    let (quota, bound) = (u64::from(policy.quota()), policy.bound());
    let mut lines_across = vec![(Role::Quota, quota, format!("quota {quota}"))];
    if bound > quota {
        lines_across.push((Role::Bound, bound, format!("bound {bound}")));
    }
    Row {
        caption: policy.to_string(),
        note: outcome(lane),
        strips: vec![
            Strip {
                name: format!("requests in each {}", length(bins.width())),
                height: 56,
                top: busiest,
                stacks: vec![
                    (Role::Allowed, bars(|bar| bar.allowed)),
                    (Role::Denied, bars(|bar| bar.denied)),
                    (Role::Never, bars(|bar| bar.never)),
                    (Role::Elsewhere, bars(|bar| bar.elsewhere)),
                ],
                lines: Vec::new(),
                levels: Vec::new(),
            },
            Strip {
                name: format!("units admitted in the last {}, and remaining", length(policy.window())),
                height: 92,
                top: highest,
                stacks: vec![(Role::Used, levels.iter().map(|level| level.used).collect())],
                lines: vec![(Role::Remaining, levels.iter().map(|level| level.remaining.into()).collect())],
                levels: lines_across,
            },
        ],
    }
}

/// The highest value of a lane's levels.
fn highest(lane: &Lane) -> u64 {
    let remaining = lane.levels.iter().map(|level| u64::from(level.remaining)).max().unwrap_or(0);
    lane.peak.max(lane.policy.bound()).max(remaining)
}

fn busiest<T>(bins: &[T], count: impl Fn(&T) -> u64) -> u64 {
    bins.iter().map(count).max().unwrap_or(0)
}

fn requests(count: u64) -> String {
    format!("{count} request{}", if count == 1 { "" } else { "s" })
}

/// `110 allowed, 3 denied`, and what else there was.
fn outcome(lane: &Lane) -> String {
    let mut parts = vec![format!("{} allowed", lane.total.allowed), format!("{} denied", lane.total.denied)];
    for (count, what) in [(lane.total.never, "above the limit"), (lane.total.elsewhere, "refused by another")] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    parts.push(format!("at most {} units in {}", lane.peak, length(lane.policy.window())));
    parts.join(" · ")
}

fn described(lane: &Lane) -> String {
    format!(
        "{}: {}; its quota is {}, its bound {}.",
        lane.policy,
        outcome(lane).replace(" · ", ", "),
        lane.policy.quota(),
        lane.policy.bound()
    )
}

/// Everybody's requests, a row for each answer: of the policies together, or of each alone.
pub(crate) fn over_time(overview: &Overview, policies: &[Policy], independent: bool, width: i32) -> Figure {
    let bins = overview.bins();
    let rows: Vec<(String, &[Counts])> = if independent {
        policies.iter().map(Policy::to_string).zip(overview.over_time()).collect()
    } else {
        let names: Vec<_> = policies.iter().map(Policy::to_string).collect();
        // More than a few would not be read there; the page lists them all.
        let caption = if names.len() <= 3 { names.join(" and ") } else { format!("{} policies together", names.len()) };
        overview.over_time().map(|counts| (caption.clone(), counts)).collect()
    };
    let never = rows.iter().any(|(_, counts)| counts.iter().any(|count| count.never > 0));
    let busiest = rows.iter().map(|(_, counts)| busiest(counts, Counts::total)).max().unwrap_or(0);
    let mut legend =
        vec![(Role::Allowed, Mark::Area, "allowed".to_owned()), (Role::Denied, Mark::Area, "denied".to_owned())];
    if never {
        legend.push((Role::Never, Mark::Area, "above the limit, can never pass".to_owned()));
    }
    let note = |counts: &[Counts]| {
        let denied: u64 = counts.iter().map(|count| count.denied).sum();
        let never: u64 = counts.iter().map(|count| count.never).sum();
        if never == 0 { format!("{denied} denied") } else { format!("{denied} denied · {never} above the limit") }
    };
    let described = |(caption, counts): &(String, &[Counts])| {
        let most = counts.iter().enumerate().max_by_key(|&(bin, count)| (count.denied, std::cmp::Reverse(bin)));
        let most = most.filter(|(_, count)| count.denied > 0).map(|(bin, count)| {
            format!(", most in the {} from {}: {}", length(bins.width()), date(bins.begin(bin)), count.denied)
        });
        format!("{caption}: {}{}.", note(counts).replace(" · ", ", "), most.unwrap_or_default())
    };
    Figure {
        id: "time",
        width,
        title: "Requests over time".to_owned(),
        lead: format!("{} to {}", date(bins.begin(0)), date(bins.end())),
        description: rows.iter().map(described).collect::<Vec<_>>().join(" "),
        legend,
        bins: *bins,
        rows: rows
            .iter()
            .map(|(caption, counts)| Row {
                caption: caption.clone(),
                note: note(counts),
                strips: vec![Strip {
                    name: format!("requests in each {}", length(bins.width())),
                    height: 92,
                    top: busiest,
                    stacks: vec![
                        (Role::Allowed, counts.iter().map(|count| count.allowed).collect()),
                        (Role::Denied, counts.iter().map(|count| count.denied).collect()),
                        (Role::Never, counts.iter().map(|count| count.never).collect()),
                    ],
                    lines: Vec::new(),
                    levels: Vec::new(),
                }],
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Compose;
    use crate::traffic::ByKey;

    fn figure(policies: &[Policy], compose: Compose, requests: &[(usize, u64, u64)]) -> Figure {
        let traffic = ByKey::of_requests(requests);
        of_key(&Trace::new(policies, compose, traffic.of(0), 0, MOST_BINS), "a", WIDE)
    }

    fn log(text: &str) -> Policy {
        Policy::SlidingLog(text.parse().unwrap())
    }

    fn window(text: &str) -> Policy {
        Policy::FixedWindow(text.parse().unwrap())
    }

    #[test]
    fn policies_of_one_window_share_their_scale_and_others_do_not() {
        let tops = |policies: &[Policy]| {
            let figure = figure(policies, Compose::Independent, &[(0, 0, 1)]);
            figure.rows.iter().map(|row| row.strips[1].top).collect::<Vec<_>>()
        };
        assert_eq!(tops(&[log("5/60s"), window("5/60s")]), [10, 10]);
        assert_eq!(tops(&[log("5/60s"), window("5/1s")]), [5, 10]);
    }

    #[test]
    fn the_legend_names_what_is_there_and_no_more() {
        let names = |policies: &[Policy], compose, requests: &[(usize, u64, u64)]| {
            let figure = figure(policies, compose, requests);
            figure.legend.iter().map(|(role, ..)| role.class()).collect::<Vec<_>>()
        };
        let quiet = names(&[log("5/60s")], Compose::Each, &[(0, 0, 1)]);
        assert_eq!(quiet, ["allowed", "used", "remaining", "quota"]);
        let all = names(&[window("1/60s"), log("9/60s")], Compose::All, &[(0, 0, 1), (0, 1, 1), (0, 2, 10)]);
        assert_eq!(all, ["allowed", "denied", "never", "elsewhere", "used", "remaining", "quota", "bound"]);
    }

    #[test]
    fn what_is_seen_is_said() {
        let figure = figure(&[window("1/60s")], Compose::Each, &[(0, 0, 1), (0, 1, 1), (0, 1, 2)]);
        assert_eq!(
            figure.description,
            "fixed-window 1/1m: 1 allowed, 1 denied, 1 above the limit, at most 1 units in 1m; its quota is 1, its bound 2."
        );
    }
}
