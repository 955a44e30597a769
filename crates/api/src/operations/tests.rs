//! What holds for every row of the table.

use super::{AnyOperation, HttpMethod, Operation, OperationVisitor};
use std::collections::BTreeSet;

/// Collects what is wrong with the rows.
#[derive(Default)]
struct RowCheck {
    ids: BTreeSet<&'static str>,
    routes: BTreeSet<(&'static str, &'static str)>,
    mistakes: Vec<String>,
}

impl OperationVisitor for RowCheck {
    fn visit<O: Operation>(&mut self) {
        let row = O::ROW;
        let mut demand = |holds: bool, what: &str| {
            if !holds {
                self.mistakes.push(format!("{}: {what}", row.id));
            }
        };
        let in_braces = row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let names = O::PATH_PARTS.iter().map(|(name, _)| *name);
        demand(in_braces.eq(names), "the path and its parts differ");
        demand(row.path.starts_with("/v1/"), "the path is outside of /v1");
        demand(!row.has_log_tag || row.method == HttpMethod::Get, "only what is read has a tag");
        demand(row.description.first().is_some_and(|line| line.ends_with('.')), "the summary is no sentence");
        demand(self.ids.insert(row.id), "the id is taken");
        demand(self.routes.insert((row.method.as_str(), row.path)), "the route is taken");
    }
}

#[test]
fn each_row_agrees_with_itself_and_is_unique() {
    let mut check = RowCheck::default();
    AnyOperation::visit_all(&mut check);
    assert_eq!(check.mistakes, Vec::<String>::new());
    assert!(check.ids.len() > 40, "the visitor sees the whole table: {:?}", check.ids);
}
