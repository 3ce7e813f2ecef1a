//! Where the plotting library draws: SVG whose colours are classes, so that one picture is light or dark as its reader likes, and whose
//! coordinates are tenths of a pixel.

use std::fmt::{self, Write};

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

use super::role::Role;
use crate::text::xml;

/// Units of the plotting library, which counts in whole ones, in a pixel.
pub(super) const PX: i32 = 10;

/// A drawing of some size, written to `body`.
pub(super) struct Svg<'a> {
    pub(super) size: (u32, u32),
    pub(super) body: &'a mut String,
}

type Drawn = Result<(), DrawingErrorKind<fmt::Error>>;

/// A coordinate in pixels.
struct Px(i32);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, tenths) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        match tenths % 10 {
            0 => write!(f, "{sign}{}", tenths / 10),
            rest => write!(f, "{sign}{}.{rest}", tenths / 10),
        }
    }
}

impl Svg<'_> {
    fn write(&mut self, text: fmt::Arguments<'_>) -> Drawn {
        self.body.write_fmt(text).map_err(DrawingErrorKind::DrawingError)
    }

    /// A line through these points, along the axes wherever it can.
    fn path(&mut self, points: impl IntoIterator<Item = BackendCoord>, class: &str, role: Role, close: bool) -> Drawn {
        self.write(format_args!("<path class=\"{class}-{}\" d=\"", role.class()))?;
        let mut before: Option<BackendCoord> = None;
        for (x, y) in points {
            match before {
                None => self.write(format_args!("M{} {}", Px(x), Px(y)))?,
                Some((_, level)) if level == y => self.write(format_args!("H{}", Px(x)))?,
                Some((place, _)) if place == x => self.write(format_args!("V{}", Px(y)))?,
                Some(_) => self.write(format_args!("L{} {}", Px(x), Px(y)))?,
            }
            before = Some((x, y));
        }
        self.write(format_args!("{}\"/>\n", if close { "Z" } else { "" }))
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = fmt::Error;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let class = Role::of(color).class();
        self.write(format_args!("<path class=\"f-{class}\" d=\"M{} {}h.1v.1h-.1z\"/>\n", Px(x), Px(y)))
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.path([from, to], "s", Role::of(style.color()), false)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let class = if fill { "f" } else { "s" };
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        self.path(corners, class, Role::of(style.color()), true)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.path(path, "s", Role::of(style.color()), false)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, vertices: I, style: &S) -> Drawn {
        self.path(vertices, "f", Role::of(style.color()), true)
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, (x, y): BackendCoord) -> Drawn {
        let Pos { h_pos, v_pos } = style.anchor();
        let anchor = match h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let size = style.size() as i32;
        // From where the text is to be to its base line: capitals are some seven tenths of a font's size.
        let down = match v_pos {
            VPos::Top => size * 3 / 4,
            VPos::Center => size * 35 / 100,
            VPos::Bottom => -size / 5,
        };
        let bold = if matches!(style.style(), FontStyle::Bold) { " b" } else { "" };
        let class = Role::of(style.color()).class();
        self.write(format_args!(
            "<text class=\"f-{class}{bold}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}>{}</text>\n",
            Px(x),
            Px(y + down),
            Px(size),
            xml(text)
        ))
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<fmt::Error>> {
        let size = style.size() as u32;
        Ok((text.chars().count() as u32 * size * 6 / 10, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::prelude::*;

    fn drawn(draw: impl FnOnce(&DrawingArea<Svg<'_>, plotters::coord::Shift>)) -> String {
        let mut body = String::new();
        let area = Svg { size: (1000, 1000), body: &mut body }.into_drawing_area();
        draw(&area);
        drop(area);
        body
    }

    #[test]
    fn coordinates_are_pixels_with_a_tenth() {
        let texts = [0, 5, 10, 123, -1, -20].map(|tenths| Px(tenths).to_string());
        assert_eq!(texts, ["0", "0.5", "1", "12.3", "-0.1", "-2"]);
    }

    #[test]
    fn steps_are_written_along_the_axes() {
        let points = vec![(0, 100), (0, 50), (30, 50), (30, 0), (45, 10)];
        let body = drawn(|area| area.draw(&PathElement::new(points, Role::Quota)).unwrap());
        assert_eq!(body, "<path class=\"s-quota\" d=\"M0 10V5H3V0L4.5 1\"/>\n");
    }

    #[test]
    fn areas_are_filled_and_closed() {
        let body = drawn(|area| area.draw(&Rectangle::new([(0, 0), (10, 20)], Role::Denied.filled())).unwrap());
        assert_eq!(body, "<path class=\"f-denied\" d=\"M0 0H1V2H0Z\"/>\n");
    }

    #[test]
    fn text_cannot_become_markup() {
        let style = ("sans-serif", 120).into_font().color(&Role::Ink);
        let body = drawn(|area| area.draw_text("</text><script>\"&'", &style, (10, 10)).unwrap());
        assert!(body.contains(">&lt;/text&gt;&lt;script&gt;&quot;&amp;&#39;</text>"), "{body}");
        assert_eq!(body.matches('<').count(), 2, "{body}");
    }
}
