//! States as bytes (`golden` and `states`).

mod golden;
mod states;
