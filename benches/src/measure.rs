//! Times contenders in turn, so that a ratio compares what ran side by side, and says how much it wobbled.

use std::time::Instant;

/// Something that is timed: it runs once over what it was made for.
pub struct Contender<'a> {
    pub name: String,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }

    pub fn run(&mut self) {
        (self.run)();
    }
}

/// What was measured of one contender. Ratios are to the first contender of the group, in the same round.
pub struct Figures {
    pub name: String,
    /// Nanoseconds an operation, in the quickest round.
    pub quickest: f64,
    /// The quickest round, of the first contender's quickest.
    pub least: f64,
    pub median: f64,
    /// Half of all rounds lie between these.
    pub quartiles: [f64; 2],
}

/// Runs each contender once a round, of so many operations each.
pub fn compare(contenders: &mut [Contender], rounds: usize, operations: usize) -> Vec<Figures> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..=rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            contender.run();
            let nanos = start.elapsed().as_nanos() as f64 / operations as f64;
            // The first round warms up.
            if round > 0 {
                times.push(nanos);
            }
        }
    }
    let quickest = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    contenders
        .iter()
        .zip(&times)
        .map(|(contender, mine)| {
            let mut ratios: Vec<f64> = mine.iter().zip(&times[0]).map(|(mine, first)| mine / first).collect();
            ratios.sort_by(f64::total_cmp);
            Figures {
                name: contender.name.clone(),
                quickest: quickest(mine),
                least: quickest(mine) / quickest(&times[0]),
                median: ratios[ratios.len() / 2],
                quartiles: [ratios[ratios.len() / 4], ratios[ratios.len() * 3 / 4]],
            }
        })
        .collect()
}
