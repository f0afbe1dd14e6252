//! Tests of calls and receipts.

use futures_util::FutureExt;

use super::*;
use crate::Key;

/// Returns the result of a call, if an earlier attempt has made it.
fn made(mut pending: Pending<'_>) -> Option<i32> {
    match pending.look_up() {
        CallState::Made(value) => Some(value),
        _ => None,
    }
}

#[test]
fn the_same_name_again_is_another_call_and_a_failed_one_is_not() {
    let effects = Effects::default();
    let mut first = effects.begin("pay");
    assert!(matches!(first.look_up::<i32>(), CallState::Ours));
    first.succeed(&1);
    drop(effects.begin("pay"));
    let mut second = effects.begin("pay");
    assert_eq!(second.number(), 2, "the failed call gave its number back");
    assert!(matches!(second.look_up::<i32>(), CallState::Ours));
    second.succeed(&2);
    let again = effects.again();
    assert_eq!(made(again.begin("pay")), Some(1));
    assert_eq!(made(again.begin("pay")), Some(2));
    assert_eq!(made(again.begin("pay")), None);
    assert!(!effects.is_calling() && !again.is_calling());
    let turn = TurnId::new(&Key::new("c").unwrap(), "1");
    let keys = [1, 2].map(|number| IdempotencyKey::new(turn, "pay", number).to_string());
    assert_eq!(keys, [format!("{turn}.pay"), format!("{turn}#2.pay")]);
}

#[tokio::test]
async fn a_call_in_progress_is_waited_for_and_one_that_failed_is_made_by_who_waited() {
    for result in [Some(7), None] {
        let (first, second) = (Effects::default(), Effects::default());
        let mut pending = first.begin("pay");
        assert_eq!(pending.receipt::<i32>().await, None, "the first attempt makes it");
        drop(second.receipts.set(Arc::clone(first.receipts())));
        let mut waiting = second.begin("pay");
        let mut receipt = pin!(waiting.receipt::<i32>());
        assert!((&mut receipt).now_or_never().is_none());
        assert_eq!((first.is_calling(), second.is_calling()), (true, false));
        match result {
            Some(value) => pending.succeed(&value),
            None => drop(pending),
        }
        assert_eq!(receipt.await, result);
        assert_eq!((first.is_calling(), second.is_calling()), (false, result.is_none()));
    }
}
