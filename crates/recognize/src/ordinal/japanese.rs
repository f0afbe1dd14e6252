//! Ordinals in Japanese.

use super::phrases::Phrases;
use super::position::Anchor;

pub(super) const PHRASES: Phrases = Phrases {
    ranks: &[
        ("最初", 1),
        ("一つ目", 1),
        ("ひとつ目", 1),
        ("一番目", 1),
        ("二つ目", 2),
        ("ふたつ目", 2),
        ("二番目", 2),
        ("三つ目", 3),
        ("みっつ目", 3),
        ("三番目", 3),
        ("四つ目", 4),
        ("四番目", 4),
        ("五つ目", 5),
        ("五番目", 5),
        ("六つ目", 6),
        ("六番目", 6),
        ("七つ目", 7),
        ("七番目", 7),
        ("八つ目", 8),
        ("八番目", 8),
        ("九つ目", 9),
        ("九番目", 9),
        ("十番目", 10),
    ],
    endings: &[""],
    others: &[
        ("最後", Anchor::End, 0),
        ("最後から二番目", Anchor::End, -1),
        ("次の", Anchor::Current, 1),
        ("次", Anchor::Current, 1),
        ("前の", Anchor::Current, -1),
        ("一つ前", Anchor::Current, -1),
    ],
    marks: &["番目", "つ目", "個目"],
    is_unspaced: true,
};
