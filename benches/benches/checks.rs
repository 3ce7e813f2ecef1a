//! The same groups under criterion, which keeps what it measured and compares the next run with it: `cargo bench`.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tollgate_benches::measure::Contender;
use tollgate_benches::{keyed, one_state, peers};

fn group(criterion: &mut Criterion, name: &str, checks: usize, contenders: Vec<Contender>) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(checks as u64));
    for mut contender in contenders {
        let name = contender.name.replace('*', "");
        group.bench_function(name, |bencher| bencher.iter(|| contender.run()));
    }
}

fn one_state(criterion: &mut Criterion) {
    let (steady, hasty) = (one_state::steady(), one_state::hasty());
    let mut allow = one_state::allow(&steady);
    allow.extend(peers::allow(&steady));
    group(criterion, "one state, allow", one_state::CHECKS, allow);
    group(criterion, "one state, deny", one_state::CHECKS, one_state::deny(&hasty));
}

fn by_key(criterion: &mut Criterion) {
    for keys in [1_000, 100_000] {
        let (numbers, order) = (keyed::numbers(keys), keyed::order(keys));
        let name = format!("{keys} keys, back to back");
        group(criterion, &name, keyed::CHECKS, keyed::by_number(&numbers, &order, keyed::Pace::BackToBack));
    }
}

criterion_group!(benches, one_state, by_key);
criterion_main!(benches);
