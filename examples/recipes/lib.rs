//! Nothing but the recipes, in `examples/`; README.md lists them.
