//! Problem details: RFC 9457, with the problem types of draft-ietf-httpapi-ratelimit-headers-10, section 5.
//!
//! ```
//! use tollgate::format::Name;
//! use tollgate::format::problem::{Problem, ProblemType};
//!
//! const VIOLATED: [Name; 2] = [Name::constant("daily"), Name::constant("bandwidth")];
//! let problem = Problem::new(ProblemType::QuotaExceeded, &VIOLATED);
//! assert_eq!(
//!     problem.to_string(),
//!     concat!(
//!         r#"{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","#,
//!         r#""title":"Request cannot be satisfied as assigned quota has been exceeded","#,
//!         r#""violated-policies":["daily","bandwidth"]}"#
//!     )
//! );
//! ```

use core::fmt::{self, Display};

use super::json;
use super::sf::Name;

/// The content type of a [`Problem`].
///
/// ```
/// # use tollgate::format::problem;
/// assert_eq!(problem::CONTENT_TYPE, "application/problem+json");
/// ```
pub const CONTENT_TYPE: &str = "application/problem+json";

/// Why a request was refused, in the draft's words.
///
/// ```
/// use tollgate::format::problem::ProblemType;
///
/// let problem = ProblemType::TemporaryReducedCapacity;
/// assert_eq!(problem.status(), 503);
/// assert_eq!(problem.uri(), "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemType {
    /// The client's requests exceed one or more policies (section 5.1).
    QuotaExceeded,
    /// The server can for a time do less than it promised (section 5.2).
    TemporaryReducedCapacity,
    /// The server has seen a pattern that suggests a mistake or malice (section 5.3).
    AbnormalUsageDetected,
}

impl ProblemType {
    /// The identifier of the type, the `type` member.
    ///
    /// ```
    /// # use tollgate::format::problem::ProblemType;
    /// assert!(ProblemType::QuotaExceeded.uri().ends_with("#quota-exceeded"));
    /// ```
    pub const fn uri(self) -> &'static str {
        match self {
            Self::QuotaExceeded => "https://iana.org/assignments/http-problem-types#quota-exceeded",
            Self::TemporaryReducedCapacity => {
                "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
            }
            Self::AbnormalUsageDetected => "https://iana.org/assignments/http-problem-types#abnormal-usage-detected",
        }
    }

    /// The title that the draft gives it, to the letter: "satisifed" is how the draft spells it.
    ///
    /// ```
    /// # use tollgate::format::problem::ProblemType;
    /// let title = ProblemType::AbnormalUsageDetected.title();
    /// assert_eq!(title, "Request not satisifed due to detection of abnormal request pattern");
    /// ```
    pub const fn title(self) -> &'static str {
        match self {
            Self::QuotaExceeded => "Request cannot be satisfied as assigned quota has been exceeded",
            Self::TemporaryReducedCapacity => {
                "Request cannot be satisfied due to temporary server capacity constraints"
            }
            Self::AbnormalUsageDetected => "Request not satisifed due to detection of abnormal request pattern",
        }
    }

    /// The recommended status code of the response.
    ///
    /// ```
    /// # use tollgate::format::problem::ProblemType;
    /// assert_eq!(ProblemType::QuotaExceeded.status(), 429);
    /// ```
    pub const fn status(self) -> u16 {
        match self {
            Self::QuotaExceeded | Self::AbnormalUsageDetected => 429,
            Self::TemporaryReducedCapacity => 503,
        }
    }
}

/// A body of [`CONTENT_TYPE`] that says which policies a request violates.
///
/// ```
/// use tollgate::format::Name;
/// use tollgate::format::problem::{Problem, ProblemType};
///
/// const VIOLATED: [Name; 1] = [Name::constant("hourly")];
/// let problem = Problem::new(ProblemType::TemporaryReducedCapacity, &VIOLATED)
///     .title("Vorübergehend überlastet")
///     .with_status()
///     .detail("Half of the service is being moved.")
///     .instance("/incidents/7");
/// assert_eq!(
///     problem.to_string(),
///     concat!(
///         r#"{"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity","#,
///         r#""title":"Vorübergehend überlastet","status":503,"detail":"Half of the service is being moved.","#,
///         r#""instance":"/incidents/7","violated-policies":["hourly"]}"#
///     )
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Problem<'a> {
    problem: ProblemType,
    violated: &'a [Name<'a>],
    title: &'a str,
    with_status: bool,
    detail: Option<&'a str>,
    instance: Option<&'a str>,
}

impl<'a> Problem<'a> {
    /// The members of the draft's examples: type, title, and the names of the violated policies.
    ///
    /// ```
    /// # use tollgate::format::problem::{Problem, ProblemType};
    /// let problem = Problem::new(ProblemType::AbnormalUsageDetected, &[]);
    /// assert!(problem.to_string().ends_with(r#""violated-policies":[]}"#));
    /// ```
    pub const fn new(problem: ProblemType, violated: &'a [Name<'a>]) -> Self {
        Self { problem, violated, title: problem.title(), with_status: false, detail: None, instance: None }
    }

    /// With another title: for a translation, which is the only change that RFC 9457 allows (section 3.1.3).
    ///
    /// ```
    /// # use tollgate::format::problem::{Problem, ProblemType};
    /// let problem = Problem::new(ProblemType::QuotaExceeded, &[]).title("Kontingent erschöpft");
    /// assert!(problem.to_string().contains(r#""title":"Kontingent erschöpft""#));
    /// ```
    #[must_use = "this makes a body, and leaves the one it is made from as it is"]
    pub const fn title(self, title: &'a str) -> Self {
        Self { title, ..self }
    }

    /// With the recommended status code in the body too, for those who see the body alone.
    ///
    /// ```
    /// # use tollgate::format::problem::{Problem, ProblemType};
    /// let problem = Problem::new(ProblemType::QuotaExceeded, &[]).with_status();
    /// assert!(problem.to_string().contains(r#""status":429"#));
    /// ```
    #[must_use = "this makes a body, and leaves the one it is made from as it is"]
    pub const fn with_status(self) -> Self {
        Self { with_status: true, ..self }
    }

    /// With what a person should know about this occurrence.
    ///
    /// ```
    /// # use tollgate::format::problem::{Problem, ProblemType};
    /// let problem = Problem::new(ProblemType::QuotaExceeded, &[]).detail("600 requests in this minute");
    /// assert!(problem.to_string().contains(r#""detail":"600 requests in this minute""#));
    /// ```
    #[must_use = "this makes a body, and leaves the one it is made from as it is"]
    pub const fn detail(self, detail: &'a str) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// With a URI reference that identifies this occurrence.
    ///
    /// ```
    /// # use tollgate::format::problem::{Problem, ProblemType};
    /// let problem = Problem::new(ProblemType::QuotaExceeded, &[]).instance("/requests/7");
    /// assert!(problem.to_string().contains(r#""instance":"/requests/7""#));
    /// ```
    #[must_use = "this makes a body, and leaves the one it is made from as it is"]
    pub const fn instance(self, instance: &'a str) -> Self {
        Self { instance: Some(instance), ..self }
    }
}

impl Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let object = json::object(|problem| {
            problem.member("type").string(self.problem.uri());
            problem.member("title").string(self.title);
            if self.with_status {
                problem.member("status").integer(self.problem.status().into());
            }
            if let Some(detail) = self.detail {
                problem.member("detail").string(detail);
            }
            if let Some(instance) = self.instance {
                problem.member("instance").string(instance);
            }
            problem.member("violated-policies").array(|names| {
                for name in self.violated {
                    names.element().string(name);
                }
            });
        });
        object.fmt(f)
    }
}
