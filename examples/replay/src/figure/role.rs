//! What a mark stands for, and its colours by day and by night. The hues are of Okabe and Ito's palette, which people of every colour
//! vision tell apart; text stands at 4.5 to 1 or more against the paper, marks at 3 to 1.

use std::fmt::Write as _;

use plotters::style::Color;
use plotters_backend::BackendColor;

/// What a mark stands for. Where the plotting library asks for a colour it is given this, and the style sheet has the colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Paper,
    Ink,
    Muted,
    Grid,
    Allowed,
    Denied,
    Never,
    Elsewhere,
    Used,
    Remaining,
    Quota,
    Bound,
}

/// By role: its class, its colours on light paper and on dark, and how its lines are drawn.
const LOOKS: [(Role, &str, &str, &str, &str); 12] = [
    (Role::Paper, "paper", "#ffffff", "#0d1117", ""),
    (Role::Ink, "ink", "#1f2328", "#e6edf3", ""),
    (Role::Muted, "muted", "#59636e", "#9198a1", ""),
    (Role::Grid, "grid", "#e1e5ea", "#2a313c", "stroke-width:1"),
    (Role::Allowed, "allowed", "#0072b2", "#56b4e9", ""),
    (Role::Denied, "denied", "#d55e00", "#f5812f", ""),
    (Role::Never, "never", "#8f3f71", "#dd9fc4", ""),
    (Role::Elsewhere, "elsewhere", "#8b949e", "#6e7681", ""),
    (Role::Used, "used", "#9ecbe8", "#1f5a82", ""),
    (Role::Remaining, "remaining", "#007a5a", "#3ddbb0", "stroke-width:1.5"),
    (Role::Quota, "quota", "#1f2328", "#e6edf3", "stroke-width:1.25;stroke-dasharray:5 3"),
    (Role::Bound, "bound", "#59636e", "#9198a1", "stroke-width:1.25;stroke-dasharray:1.5 3"),
];

impl Role {
    pub(crate) fn class(self) -> &'static str {
        LOOKS[self as usize].1
    }

    pub(super) fn of(color: BackendColor) -> Self {
        LOOKS.get(usize::from(color.rgb.2)).map_or(Self::Ink, |looks| looks.0)
    }
}

impl Color for Role {
    fn to_backend_color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: (0, 0, *self as u8) }
    }
}

/// The style sheet of every figure, light unless the reader's system is dark.
pub(crate) fn style() -> String {
    let mut css = String::from(
        "text{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif}.b{font-weight:600}",
    );
    let mut dark = String::new();
    for (_, class, day, night, line) in LOOKS {
        // Writing to a string does not fail.
        let _ = write!(css, ".f-{class}{{fill:{day}}}.s-{class}{{fill:none;stroke:{day};{line}}}");
        let _ = write!(dark, ".f-{class}{{fill:{night}}}.s-{class}{{stroke:{night}}}");
    }
    format!("{css}@media(prefers-color-scheme:dark){{{dark}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_looks() {
        for (index, (role, ..)) in LOOKS.into_iter().enumerate() {
            assert_eq!(role as usize, index);
            assert_eq!(Role::of(role.to_backend_color()), role);
        }
    }

    /// The relative luminance of WCAG 2.
    fn luminance(color: &str) -> f64 {
        let channel = |from: usize| {
            let value = f64::from(u8::from_str_radix(&color[from..from + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn text_and_marks_stand_out_from_the_paper_by_day_and_by_night() {
        let (_, _, day_paper, night_paper, _) = LOOKS[Role::Paper as usize];
        for (role, class, day, night, _) in LOOKS {
            let least = match role {
                Role::Ink | Role::Muted | Role::Quota | Role::Bound => 4.5,
                Role::Allowed | Role::Denied | Role::Never | Role::Elsewhere | Role::Remaining => 3.0,
                // An area under lines, whose height is all that is read of it; and what should not stand out.
                Role::Paper | Role::Grid | Role::Used => continue,
            };
            assert!(contrast(day, day_paper) >= least, "{class} by day: {}", contrast(day, day_paper));
            assert!(contrast(night, night_paper) >= least, "{class} by night: {}", contrast(night, night_paper));
        }
    }
}
