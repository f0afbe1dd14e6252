//! Tests of the drawing: marks, counts, legend and bounds.

use std::{collections::BTreeSet, time::Duration};

use super::*;
use crate::race::{board::Board, instance::Counts, toppings, verdict::Verdict};

/// A heat that ended with these marks: `o` confirmed and there, `x` lost, `r` refused, `s` there
/// and not confirmed, `.` heard nothing.
fn outcome(marks: &str) -> Outcome {
    let mut board = Board::new(toppings::names(marks.len()));
    for (cell, mark) in board.cells.iter_mut().zip(marks.chars()) {
        match mark {
            'o' | 'x' => cell.hear(format!("A pizza with {}.", cell.name)),
            'r' => cell.hear("Sorry, please try again.".to_owned()),
            _ => {}
        }
    }
    let there = board.cells.iter().zip(marks.chars()).filter(|(_, mark)| matches!(mark, 'o' | 's'));
    let pizza: Vec<String> = there.map(|(cell, _)| cell.name.clone()).collect();
    board.look(&pizza);
    let verdict = Verdict::new(&board, &pizza);
    let (saved, wall) = (Duration::from_millis(20), Duration::from_millis(30));
    Outcome { board, verdict, counts: Counts::default(), saved, wall }
}

fn column<'a>(semantics: Semantics, note: &str, outcome: &'a Outcome) -> Column<'a> {
    Column { semantics, note: note.to_owned(), board: &outcome.board, outcome: Some(outcome) }
}

fn drawn(classic: &Outcome, ours: &Outcome) -> String {
    let classic = column(Semantics::Classic, "", classic);
    draw(&[classic, column(Semantics::Sayso, "", ours)])
}

/// The part of the drawing that shows one semantics.
fn panel<'a>(svg: &'a str, name: &str) -> &'a str {
    let (_, panel) = svg.split_once(&format!("<g id='race-{name}'>")).unwrap();
    let next = panel.find("<g id='race-").unwrap();
    &panel[..next]
}

fn count(panel: &str, id: &str) -> usize {
    let [cell, mark] = [format!("'#race-cell-{id}'"), format!("'#race-{id}'")];
    panel.matches(&cell).count() + panel.matches(&mark).count()
}

#[test]
fn every_topping_is_drawn_as_what_became_of_it() {
    let (classic, ours) = (outcome("xoxrs."), outcome("oooorr"));
    let svg = drawn(&classic, &ours);
    let panels = [panel(&svg, "classic"), panel(&svg, "sayso")];
    let ids = ["so", "lost", "refused", "saved", "silent"];
    assert_eq!(
        panels.map(|panel| ids.map(|id| count(panel, id))),
        [[1, 2, 1, 1, 1], [4, 0, 2, 0, 0]]
    );
    assert_eq!(panels.map(|panel| panel.matches("line-through").count()), [2, 0]);
    assert!(panels[0].contains("line-through'>mushrooms<"), "{svg}");
    assert!(panels[0].contains("2 customers were told something that is not so"), "{svg}");
    assert!(svg.contains("on the pizza, not confirmed") && svg.contains("heard nothing"));
}

#[test]
fn counts_are_those_of_the_outcome_whatever_the_size() {
    for size in [1, 8, 63, 64, 65, 256] {
        let marks = format!("o{}", "x".repeat(size - 1));
        let (classic, ours) = (outcome(&marks), outcome(&"o".repeat(size)));
        let svg = drawn(&classic, &ours);
        for (name, outcome) in [("classic", &classic), ("sayso", &ours)] {
            let (panel, verdict) = (panel(&svg, name), &outcome.verdict);
            assert_eq!(count(panel, "lost"), verdict.lost, "{size}");
            assert_eq!(count(panel, "so"), verdict.on_pizza, "{size}");
            let counts =
                format!("{} confirmed, {} on the pizza", verdict.confirmed, verdict.on_pizza);
            assert!(panel.contains(&counts), "{counts}");
            let description = svg.split_once("</desc>").unwrap().0;
            assert!(description.contains(&counts), "{description}");
        }
    }
}

#[test]
fn the_drawing_is_well_formed_small_and_without_scripts() {
    for marks in ["o", "xoxrs.", &"x".repeat(64), &"r".repeat(65)] {
        let svg = drawn(&outcome(marks), &outcome(marks));
        assert_well_formed(&svg);
        assert!(marks.len() > NAMED_MAX || svg.len() < 60_000, "{}", svg.len());
        assert!(svg.contains("role='img'") && !svg.contains("<script") && !svg.contains("<style"));
    }
}

#[test]
fn a_name_with_markup_is_text() {
    let mut outcome = outcome("ox");
    outcome.board.cells[1].name = "<b>'salt' & pepper</b>".to_owned();
    let svg = drawn(&outcome, &outcome);
    assert_well_formed(&svg);
    assert!(svg.contains("&lt;b&gt;'salt' &amp; pepper&lt;/b&gt;"), "{svg}");
}

#[test]
fn one_semantics_is_a_narrow_drawing_and_an_unfinished_one_is_left_out() {
    let done = outcome("oo");
    let board = Board::new(toppings::names(2));
    let note = String::new();
    let running = Column { semantics: Semantics::Classic, note, board: &board, outcome: None };
    let svg = draw(&[running, column(Semantics::Sayso, "run 2 of 2", &done)]);
    assert_well_formed(&svg);
    assert!(svg.contains("viewBox='0 0 412 ") && svg.contains(">run 2 of 2<"), "{svg}");
    assert!(!svg.contains("usual way"), "{svg}");
}

/// Checks nesting, attributes, entities, and that every id is there once and every reference leads
/// to one.
fn assert_well_formed(xml: &str) {
    let (mut open, mut ids, mut links) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut rest = xml;
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "{text}");
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;"].iter().any(|name| entity.starts_with(name)), "{entity}");
        }
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !tag.ends_with('/') {
            open.push(name);
        }
        for (key, value) in attributes_of(attributes.trim_end_matches('/')) {
            match key {
                "id" => assert!(ids.insert(value), "{value} is there twice"),
                "href" => links.extend(value.strip_prefix('#')),
                "aria-labelledby" => links.extend(value.split(' ')),
                _ => assert!(!value.contains(['<', '&']), "{value}"),
            }
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    assert!(links.is_subset(&ids), "{links:?} {ids:?}");
}

fn attributes_of(mut text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    while !text.trim().is_empty() {
        let (key, after) = text.trim_start().split_once('=').unwrap();
        let quote = after.chars().next().filter(|quote| matches!(quote, '\'' | '"')).unwrap();
        let (value, after) = after[1..].split_once(quote).unwrap();
        found.push((key, value));
        text = after;
    }
    found
}
