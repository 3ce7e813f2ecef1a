//! Figures: rows of strips over one axis of time, drawn with `plotters` as SVG. What they show is decided in [`plots`](crate::plots).
//!
//! Every strip begins at zero. Bins become steps, never slopes: nothing is drawn that was not counted.

mod axis;
mod role;
mod svg;

use plotters::chart::{ChartBuilder, ChartContext, LabelAreaPosition};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::Ranged as _;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Polygon, Rectangle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, TextStyle};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::error::Error;
use crate::text::xml;
use crate::timeline::Bins;
use axis::Axis;
use svg::{PX, Svg};

pub(crate) use role::{Role, style};

/// A picture.
pub(crate) struct Figure {
    /// Distinguishes it from others on a page.
    pub(crate) id: &'static str,
    /// In pixels.
    pub(crate) width: i32,
    /// Drawn at the head of a document; on a page it is a heading above.
    pub(crate) title: String,
    /// Said below the title.
    pub(crate) lead: String,
    /// What it shows, for those who cannot see it.
    pub(crate) description: String,
    pub(crate) legend: Vec<(Role, Mark, String)>,
    pub(crate) bins: Bins,
    pub(crate) rows: Vec<Row>,
}

/// How something is marked in the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Area,
    Line,
}

/// Strips that belong together, under a caption.
pub(crate) struct Row {
    pub(crate) caption: String,
    pub(crate) note: String,
    pub(crate) strips: Vec<Strip>,
}

/// A plot over time. All series have a value for each bin.
pub(crate) struct Strip {
    /// What its axis counts.
    pub(crate) name: String,
    pub(crate) height: i32,
    /// The highest value that is to be seen.
    pub(crate) top: u64,
    /// Areas, each upon the one before.
    pub(crate) stacks: Vec<(Role, Vec<u64>)>,
    pub(crate) lines: Vec<(Role, Vec<u64>)>,
    /// Lines across, with a label at their end.
    pub(crate) levels: Vec<(Role, u64, String)>,
}

/// In pixels.
const PAD: i32 = 16;
const LEFT: i32 = 48;
const TIMES: i32 = 30;
const CAPTION: i32 = 24;
const NAME: i32 = 17;
const BETWEEN_STRIPS: i32 = 6;
const BETWEEN_ROWS: i32 = 18;
const LEGEND: i32 = 20;

/// Sizes of text.
const TITLE: i32 = 17;
const TEXT: i32 = 13;
const SMALL: i32 = 12;

type Area<'a> = DrawingArea<Svg<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, Svg<'b>, Cartesian2d<Axis, Axis>>;
/// A text at the head, its size, and how it looks.
type Heading<'a> = (&'a str, i32, Role, FontStyle);
type Drawn = Result<(), DrawingAreaErrorKind<std::fmt::Error>>;

impl Figure {
    /// The picture as a document of its own.
    ///
    /// # Errors
    ///
    /// What the plotting library refuses.
    pub(crate) fn document(&self) -> Result<String, Error> {
        let style = format!("<style>:root{{max-width:100%;height:auto}}{}</style>\n", style());
        let head = [(self.title.as_str(), TITLE, Role::Ink, FontStyle::Bold), self.lead()];
        let size = format!("width=\"{}\" height=\"{}\"", self.width, self.height(&head));
        self.svg(&format!(" xmlns=\"http://www.w3.org/2000/svg\" {size}"), &style, &head)
    }

    /// The picture as a part of a page that has its [`style`].
    ///
    /// # Errors
    ///
    /// What the plotting library refuses.
    pub(crate) fn part(&self) -> Result<String, Error> {
        self.svg("", "", &[self.lead()])
    }

    fn lead(&self) -> Heading<'_> {
        (&self.lead, TEXT, Role::Muted, FontStyle::Normal)
    }

    fn svg(&self, attributes: &str, style: &str, head: &[Heading<'_>]) -> Result<String, Error> {
        let (id, width, height) = (self.id, self.width, self.height(head));
        let mut svg = format!(
            "<svg{attributes} viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{style}\
             <rect class=\"f-paper\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>\n",
            xml(&self.title),
            xml(&self.description)
        );
        let size = ((width * PX).unsigned_abs(), (height * PX).unsigned_abs());
        let area = Svg { size, body: &mut svg }.into_drawing_area();
        self.draw(&area, head).map_err(|error| Error::Draw(error.to_string()))?;
        drop(area);
        svg.push_str("</svg>\n");
        Ok(svg)
    }

    fn height(&self, head: &[Heading<'_>]) -> i32 {
        let rows = self.rows.iter().map(|row| self.row_height(row) + BETWEEN_ROWS).sum::<i32>();
        self.head_height(head) + rows - BETWEEN_ROWS + TIMES + PAD / 2
    }

    fn row_height(&self, row: &Row) -> i32 {
        let strips: i32 = row.strips.iter().map(|strip| NAME + strip.height + BETWEEN_STRIPS).sum();
        CAPTION * if self.fits_beside(row) { 1 } else { 2 } + strips - BETWEEN_STRIPS
    }

    /// Columns of text of a size that are sure to fit, side by side, in whatever font the reader has.
    fn columns(&self, size: i32) -> usize {
        ((self.width - 2 * PAD) * 100 / (size * 58)).unsigned_abs() as usize
    }

    fn fits_beside(&self, row: &Row) -> bool {
        row.caption.width() + row.note.width() + 2 <= self.columns(TEXT)
    }

    fn head_height(&self, head: &[Heading<'_>]) -> i32 {
        let lines = head.iter().map(|&(text, size, ..)| wrapped(text, self.columns(size)).len() as i32 * (size + 6));
        let legend = self.legend_places().last().map_or(0, |&(_, y)| y + LEGEND);
        PAD + lines.sum::<i32>() + 6 + legend + BETWEEN_ROWS / 2
    }

    /// Where the parts of the legend stand, in as many lines as they need.
    fn legend_places(&self) -> Vec<(i32, i32)> {
        let (mut x, mut y) = (PAD, 0);
        let place = |(_, _, text): &(Role, Mark, String)| {
            let width = 24 + text.width() as i32 * SMALL * 58 / 100 + 14;
            if x > PAD && x + width - 14 > self.width - PAD {
                (x, y) = (PAD, y + LEGEND);
            }
            let place = (x, y);
            x += width;
            place
        };
        self.legend.iter().map(place).collect()
    }

    fn draw(&self, area: &Area<'_>, head: &[Heading<'_>]) -> Drawn {
        let mut y = PAD;
        for &(text, size, role, weight) in head {
            for line in wrapped(text, self.columns(size)) {
                area.draw_text(&line, &text_style(size, role, weight, HPos::Left), (PAD * PX, y * PX))?;
                y += size + 6;
            }
        }
        self.draw_legend(area, y + 6)?;
        y = self.head_height(head);
        let last = self.rows.len().saturating_sub(1);
        for (index, row) in self.rows.iter().enumerate() {
            self.draw_row(area, row, y, index == last)?;
            y += self.row_height(row) + BETWEEN_ROWS;
        }
        Ok(())
    }

    fn draw_legend(&self, area: &Area<'_>, top: i32) -> Drawn {
        for (&(role, mark, ref text), (x, y)) in self.legend.iter().zip(self.legend_places()) {
            let (x, y) = (x * PX, (top + y) * PX);
            match mark {
                Mark::Area => area.draw(&Rectangle::new([(x, y), (x + 14 * PX, y + 12 * PX)], role.filled()))?,
                Mark::Line => area.draw(&PathElement::new(vec![(x, y + 6 * PX), (x + 18 * PX, y + 6 * PX)], role))?,
            }
            let style = text_style(SMALL, Role::Ink, FontStyle::Normal, HPos::Left);
            area.draw_text(text, &style, (x + 23 * PX, y + PX))?;
        }
        Ok(())
    }

    fn draw_row(&self, area: &Area<'_>, row: &Row, top: i32, last: bool) -> Drawn {
        let caption = text_style(TEXT, Role::Ink, FontStyle::Bold, HPos::Left);
        area.draw_text(&row.caption, &caption, (PAD * PX, top * PX))?;
        let mut y = top + CAPTION;
        if self.fits_beside(row) {
            let note = text_style(TEXT, Role::Muted, FontStyle::Normal, HPos::Right);
            area.draw_text(&row.note, &note, ((self.width - PAD) * PX, top * PX))?;
        } else {
            let note = text_style(TEXT, Role::Muted, FontStyle::Normal, HPos::Left);
            area.draw_text(&row.note, &note, (PAD * PX, (y - 4) * PX))?;
            y += CAPTION;
        }
        let end = row.strips.len().saturating_sub(1);
        for (index, strip) in row.strips.iter().enumerate() {
            let name = text_style(SMALL, Role::Muted, FontStyle::Normal, HPos::Left);
            area.draw_text(&strip.name, &name, (LEFT * PX, y * PX))?;
            y += NAME;
            self.draw_strip(area, strip, y, last && index == end)?;
            y += strip.height + BETWEEN_STRIPS;
        }
        Ok(())
    }

    /// Room at the right for the labels of levels, the same in all strips.
    fn right(&self) -> i32 {
        let labels = self.rows.iter().flat_map(|row| &row.strips).flat_map(|strip| &strip.levels);
        let widest = labels.map(|(_, _, label)| label.width() as i32).max();
        PAD + widest.map_or(0, |columns| (6 + columns * SMALL * 64 / 100).min(self.width / 4))
    }

    fn draw_strip(&self, area: &Area<'_>, strip: &Strip, top: i32, times: bool) -> Drawn {
        let below = if times { TIMES } else { 0 };
        let part = area.clone().shrink((0, top * PX), (self.width * PX, (strip.height + below) * PX));
        let mut builder = ChartBuilder::on(&part);
        builder.set_label_area_size(LabelAreaPosition::Left, LEFT * PX).margin_right(self.right() * PX);
        builder.set_label_area_size(LabelAreaPosition::Bottom, below * PX);
        let plot = self.width - LEFT - self.right();
        let time = Axis::times(&self.bins, u64::from((plot * 100 / (SMALL * 58)).unsigned_abs()));
        let count = Axis::counts(strip.top, u64::from((strip.height / 22).unsigned_abs()));
        let mut chart = builder.build_cartesian_2d(time.clone(), count)?;
        // A label that would not be seen whole, at either end, is left out; its mark stays.
        let format = |at: &u64| {
            let label = time.time(*at);
            let (place, half) = (time.map(at, (LEFT, LEFT + plot)), label.len() as i32 * SMALL * 32 / 100);
            if place - half < 0 || place + half > self.width { String::new() } else { label }
        };
        let mut mesh = chart.configure_mesh();
        mesh.bold_line_style(Role::Grid).axis_style(Role::Grid).set_all_tick_mark_size(0);
        mesh.set_tick_mark_size(LabelAreaPosition::Bottom, 7 * PX).set_tick_mark_size(LabelAreaPosition::Left, 5 * PX);
        mesh.x_label_formatter(&format).y_label_formatter(&|count| short(*count));
        mesh.label_style(("sans-serif", SMALL * PX).into_font().color(&Role::Muted)).draw()?;
        self.draw_series(&mut chart, strip)?;
        self.draw_levels(area, &mut chart, strip)
    }

    fn draw_series(&self, chart: &mut Chart<'_, '_>, strip: &Strip) -> Drawn {
        let mut base = vec![0; self.bins.count()];
        for (role, values) in &strip.stacks {
            let top: Vec<u64> = base.iter().zip(values).map(|(base, value)| base + value).collect();
            for run in runs(values) {
                let (over, under) = (self.steps(&top, run.clone()), self.steps(&base, run));
                let outline: Vec<_> = over.into_iter().chain(under.into_iter().rev()).collect();
                chart.draw_series([Polygon::new(outline, role.filled())])?;
            }
            base = top;
        }
        for (role, values) in &strip.lines {
            chart.draw_series([PathElement::new(self.steps(values, 0..values.len()), *role)])?;
        }
        Ok(())
    }

    fn draw_levels(&self, area: &Area<'_>, chart: &mut Chart<'_, '_>, strip: &Strip) -> Drawn {
        let mut levels: Vec<_> = strip.levels.iter().collect();
        levels.sort_by_key(|(_, value, _)| std::cmp::Reverse(*value));
        let mut above = i32::MIN;
        for &(role, value, ref label) in levels {
            let (begin, end) = (self.bins.begin(0), self.bins.end());
            chart.draw_series([PathElement::new(vec![(begin, value), (end, value)], role)])?;
            let (x, y) = chart.backend_coord(&(end, value));
            // Labels of near levels move apart.
            let y = (y - SMALL * PX / 2).max(above.saturating_add((SMALL + 1) * PX));
            above = y;
            let style = text_style(SMALL, Role::Ink, FontStyle::Normal, HPos::Left);
            area.draw_text(label, &style, (x + 5 * PX, y))?;
        }
        Ok(())
    }

    /// The corners of a line that has a bin's value from its beginning to its end.
    fn steps(&self, values: &[u64], bins: std::ops::Range<usize>) -> Vec<(u64, u64)> {
        let mut corners: Vec<(u64, u64)> = Vec::new();
        for bin in bins {
            let (begin, end, value) = (self.bins.begin(bin), self.bins.begin(bin + 1), values[bin]);
            match corners.last_mut() {
                Some((at, before)) if *before == value => *at = end,
                _ => corners.extend([(begin, value), (end, value)]),
            }
        }
        corners
    }
}

/// Where values are above zero, side by side.
fn runs(values: &[u64]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for bin in (0..values.len()).filter(|&bin| values[bin] > 0) {
        match runs.last_mut() {
            Some(run) if run.end == bin => run.end = bin + 1,
            _ => runs.push(bin..bin + 1),
        }
    }
    runs
}

fn text_style(size: i32, role: Role, weight: FontStyle, side: HPos) -> TextStyle<'static> {
    let font = ("sans-serif", size * PX, weight).into_font().transform(FontTransform::None);
    font.color(&role).pos(Pos::new(side, VPos::Top))
}

/// A count in at most five characters: 12k, 3.5M. An axis has round numbers, which lose nothing.
fn short(count: u64) -> String {
    for (power, unit) in [(1_000_000_000_000_000_000, "E"), (1_000_000_000_000_000, "P"), (1_000_000_000_000, "T")]
        .into_iter()
        .chain([(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")])
    {
        if count >= power {
            let (whole, tenth) = (count / power, count % power / (power / 10));
            return if tenth == 0 { format!("{whole}{unit}") } else { format!("{whole}.{tenth}{unit}") };
        }
    }
    count.to_string()
}

/// Lines of at most so many columns, broken at spaces where there are any.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && line.width() + 1 + word.width() > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if line.width() + c.width().unwrap_or(0) > columns.max(2) {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(strips: Vec<Strip>) -> Figure {
        Figure {
            id: "it",
            width: 480,
            title: "A <title> & more".to_owned(),
            lead: "Words that are too many for a line of the figure, and so go on in the next".to_owned(),
            description: "It shows \"this\"".to_owned(),
            legend: vec![
                (Role::Allowed, Mark::Area, "allowed".to_owned()),
                (Role::Quota, Mark::Line, "quota".to_owned()),
            ],
            bins: Bins::covering(0, 3, 1, 200),
            rows: vec![Row { caption: "<caption>".to_owned(), note: "note".to_owned(), strips }],
        }
    }

    fn strip(stacks: Vec<(Role, Vec<u64>)>, levels: Vec<(Role, u64, String)>) -> Strip {
        Strip { name: "requests".to_owned(), height: 60, top: 4, stacks, lines: Vec::new(), levels }
    }

    #[test]
    fn a_document_is_named_described_and_escaped() {
        let svg = figure(vec![strip(Vec::new(), Vec::new())]).document().unwrap();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"480\" height=\""), "{svg}");
        for expected in [
            "role=\"img\" aria-labelledby=\"it-title it-desc\"",
            "<title id=\"it-title\">A &lt;title&gt; &amp; more</title>",
            "<desc id=\"it-desc\">It shows &quot;this&quot;</desc>",
            "prefers-color-scheme:dark",
            ">&lt;caption&gt;</text>",
        ] {
            assert!(svg.contains(expected), "{expected}: {svg}");
        }
        assert!(svg.ends_with("</svg>\n"));
        assert!(!figure(Vec::new()).part().unwrap().contains("<style>"));
    }

    #[test]
    fn areas_stand_upon_one_another_and_leave_out_what_is_empty() {
        let stacks = vec![(Role::Allowed, vec![1, 2, 0, 1]), (Role::Denied, vec![0, 1, 0, 0])];
        let svg = figure(vec![strip(stacks, Vec::new())]).part().unwrap();
        let paths =
            |class: &str| svg.lines().filter(|line| line.starts_with(&format!("<path class=\"{class}\""))).count();
        // One in the legend, and one for each run of bins.
        assert_eq!((paths("f-allowed"), paths("f-denied")), (3, 1));
    }

    #[test]
    fn labels_of_levels_that_are_near_do_not_overlap() {
        let levels = vec![(Role::Quota, 4, "quota 4".to_owned()), (Role::Bound, 4, "bound 4".to_owned())];
        let svg = figure(vec![strip(Vec::new(), levels)]).part().unwrap();
        let y = |label: &str| {
            let line = svg.lines().find(|line| line.contains(label)).unwrap();
            let (_, y) = line.split_once(" y=\"").unwrap();
            y.split_once('"').unwrap().0.parse::<f64>().unwrap()
        };
        assert!((y("quota 4<") - y("bound 4<")).abs() >= 12.0, "{svg}");
    }

    #[test]
    fn counts_are_short() {
        let texts = [0, 999, 1_000, 1_500, 20_000, 3_000_000, u64::MAX].map(short);
        assert_eq!(texts, ["0", "999", "1k", "1.5k", "20k", "3M", "18.4E"]);
    }

    #[test]
    fn text_is_broken_at_spaces_or_else_anywhere() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("", 4), [""; 0]);
        assert_eq!(wrapped("日本語", 4), ["日本", "語"]);
    }
}
