//! Order of tasks by the seed, and owners that die or freeze.

use super::*;

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another() {
    let order = |seed| {
        let executor = Executor::new(seed);
        let seen = Arc::new(Mutex::new(Vec::new()));
        for n in 0..20 {
            let (seen, sleep) = (Arc::clone(&seen), executor.sleep(Duration::from_secs(1)));
            executor.spawn(
                Owner::World,
                Box::pin(async move {
                    seen.lock().unwrap().push(n);
                    sleep.await;
                    seen.lock().unwrap().push(100 + n);
                }),
            );
        }
        assert!(executor.run_until(Duration::MAX, || seen.lock().unwrap().len() == 40));
        assert_eq!(executor.now(), Duration::from_secs(1));
        Arc::try_unwrap(seen).unwrap().into_inner().unwrap()
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
fn a_killed_owner_runs_no_more_and_a_frozen_one_later() {
    let executor = Executor::new(1);
    let count = Arc::new(Mutex::new([0; 2]));
    for owner in 0..2 {
        let (count, executor2) = (Arc::clone(&count), executor.clone());
        executor.spawn(
            Owner::Instance(owner),
            Box::pin(async move {
                for _ in 0..10 {
                    executor2.sleep(Duration::from_secs(1)).await;
                    count.lock().unwrap()[owner] += 1;
                }
            }),
        );
    }
    executor.doom(Owner::Instance(0), 3);
    executor.freeze(Owner::Instance(1));
    assert!(!executor.run_until(Duration::MAX, || false));
    assert_eq!(*count.lock().unwrap(), [2, 0]);
    executor.thaw(Owner::Instance(1));
    assert!(!executor.run_until(Duration::MAX, || false));
    assert_eq!(*count.lock().unwrap(), [2, 10]);
    assert!(executor.is_dead(Owner::Instance(0)));
}
