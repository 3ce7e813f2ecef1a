//! States as bytes (`golden` and `states`), and the step of a store that machines share: with compare-and-swap (`fleet`), and without
//! (`unconditional`).

mod fleet;
mod golden;
mod states;
mod unconditional;
