use super::*;
use crate::{
    main_block::auto::{blocks::TextBlocks, features, records::Records},
    testing::page,
};

/// Two columns; one tree: `a <= 1 ? -1 : (b <= 2 ? 0 : 3)`.
fn small() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for short in [2u16, 1, 3] {
        bytes.extend(short.to_le_bytes());
    }
    bytes.extend(b"a\nb");
    bytes.push(2);
    for (column, threshold, left, right) in [(0, 1.0f32, -1i8, 1i8), (1, 2.0, -2, -3)] {
        bytes.push(column);
        bytes.extend(threshold.to_le_bytes());
        bytes.extend([left.cast_unsigned(), right.cast_unsigned()]);
    }
    for leaf in [-1.0f32, 0.0, 3.0] {
        bytes.extend(leaf.to_le_bytes());
    }
    bytes
}

fn written(rows: &[[f32; 2]]) -> Rows {
    let mut written = Rows::new(2, rows.len());
    for (at, row) in rows.iter().enumerate() {
        let (columns, place) = written.row_mut(at);
        for (column, value) in columns.iter_mut().zip(row) {
            column[place] = *value;
        }
    }
    written.finish();
    written
}

#[test]
fn rows_are_told_as_they_were_written() {
    let rows: Vec<[f32; 2]> = (0u8..70).map(|row| [f32::from(row), -f32::from(row)]).collect();
    assert_eq!(written(&rows).to_vec(), rows.as_flattened());
    assert!(written(&[]).to_vec().is_empty());
}

#[test]
fn a_tree_is_followed_to_its_leaf() {
    let forest = Forest::parse(&small()).unwrap();
    let probability = |a, b| forest.probabilities(&written(&[[a, b]]))[0];
    assert!((probability(1.0, 9.0) - 0.268_94).abs() < 1e-4);
    assert!((probability(1.1, 2.0) - 0.5).abs() < 1e-6);
    assert!((probability(1.1, 2.1) - 0.952_57).abs() < 1e-4);
}

#[test]
fn rows_are_judged_alike_wherever_in_the_table_they_stand() {
    let forest = Forest::parse(&small()).unwrap();
    let rows: Vec<[f32; 2]> = (0u8..50).map(|row| [f32::from(row % 3), f32::from(row % 5)]).collect();
    let probabilities = forest.probabilities(&written(&rows));
    assert_eq!(probabilities.len(), rows.len());
    for (row, probability) in rows.iter().zip(probabilities) {
        assert_eq!(forest.probabilities(&written(&[*row])), [probability]);
    }
}

#[test]
fn a_damaged_table_is_refused() {
    let bytes = small();
    for length in 0..bytes.len() {
        assert!(Forest::parse(&bytes[..length]).is_none(), "{length}");
    }
    let first_node = MAGIC.len() + 6 + 3 + 1;
    for (at, value) in [(first_node, 2), (first_node + 6, 0), (first_node + 6, 9), (first_node + 5, 0xf0)] {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        assert!(Forest::parse(&bytes).is_none(), "{at} {value}");
    }
}

#[test]
fn the_table_that_ships_has_the_columns_that_are_computed() {
    let page = page("<p>one</p>");
    let blocks = TextBlocks::from_page(&page, &[]);
    let records = Records::from_page(&page, &blocks, false);
    let mut names = Vec::new();
    let rows = features::rows(&page, &blocks, &records, Some(&mut names));
    assert_eq!(Forest::shipped().columns, names);
    assert_eq!(rows.width(), names.len());
}
