//! Ordinals in Chinese.

use super::phrases::Phrases;
use super::position::Anchor;

pub(super) const PHRASES: Phrases = Phrases {
    ranks: &[],
    endings: &[""],
    others: &[
        ("最后一个", Anchor::End, 0),
        ("最後一個", Anchor::End, 0),
        ("最后", Anchor::End, 0),
        ("最後", Anchor::End, 0),
        ("倒数第二", Anchor::End, -1),
        ("倒数第二个", Anchor::End, -1),
        ("倒數第二", Anchor::End, -1),
        ("倒數第二個", Anchor::End, -1),
        ("倒数第三", Anchor::End, -2),
        ("倒数第三个", Anchor::End, -2),
        ("下一个", Anchor::Current, 1),
        ("下一個", Anchor::Current, 1),
        ("上一个", Anchor::Current, -1),
        ("上一個", Anchor::Current, -1),
        ("当前", Anchor::Current, 0),
    ],
    marks: &[],
    is_unspaced: true,
};
