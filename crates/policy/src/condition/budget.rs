//! The budget of conditions: each value that an operator, a function or a loop handles costs units. The interpreter has
//! no limit of its own, so the expression is rewritten to pay before it works. Unlike a time limit, the budget gives the
//! same result on a busy machine.

use cel::{
    ExecutionError, Value,
    common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, operators},
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

/// The units for all conditions of a policy on one call. One unit takes about a microsecond.
pub(crate) const MAX_UNITS: i64 = 200_000;
/// The bytes of a text that cost one unit. Together with [`MAX_UNITS`], this also limits the memory: all texts that the
/// conditions build have at most 12 MiB.
const BYTES_PER_UNIT: usize = 64;

/// An internal function that pays for its argument. The source of a condition cannot contain its name.
pub(super) const CHARGE: &str = "@charge";
/// The variable in which `all`, `exists`, `map` and `filter` collect their result.
const ACCUMULATOR: &str = "@result";
/// Operators that look at no more than one bool, or at one element.
const FREE: &[&str] = &[
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::CONDITIONAL,
    operators::INDEX,
    operators::NOT_STRICTLY_FALSE,
];

/// The units that the conditions of a call may still use.
#[derive(Debug, Clone)]
pub(crate) struct ConditionBudget(Arc<AtomicI64>);

impl ConditionBudget {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(MAX_UNITS)))
    }

    /// True if no units are left. A condition may have swallowed the error, as `error || true` does.
    pub(super) fn is_exhausted(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }

    /// Pays for a value and returns it.
    pub(super) fn charge(&self, value: Value) -> Result<Value, ExecutionError> {
        let mut left = self.0.load(Ordering::Relaxed);
        pay_for(&value, &mut left);
        self.0.store(left, Ordering::Relaxed);
        if left < 0 {
            Err(ExecutionError::function_error(CHARGE, "the budget is used up"))
        } else {
            Ok(value)
        }
    }
}

/// Subtracts the units of a value. Stops when none are left, because a value that refers to the same list many times is
/// larger than the memory that it takes.
fn pay_for(value: &Value, left: &mut i64) {
    let bytes = match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 0,
    };
    *left = left.saturating_sub(i64::try_from(1 + bytes / BYTES_PER_UNIT).unwrap_or(i64::MAX));
    let mut pay = |value| {
        if *left >= 0 {
            pay_for(value, left);
        }
    };
    match value {
        Value::List(values) => values.iter().for_each(pay),
        Value::Map(map) => map.map.values().for_each(&mut pay),
        _ => {}
    }
}

/// Rewrites an expression so that it pays for the values that it handles.
pub(super) fn charge_expression(node: &mut IdedExpr) {
    match &mut node.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
        Expr::Select(select) => charge_expression(&mut select.operand),
        Expr::Call(call) => charge_call(call),
        Expr::List(list) => list.elements.iter_mut().for_each(charge_and_wrap),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    charge_and_wrap(&mut entry.key);
                    charge_and_wrap(&mut entry.value);
                }
            }
        }
        Expr::Comprehension(loops) => {
            charge_and_wrap(&mut loops.iter_range);
            for part in [&mut loops.accu_init, &mut loops.loop_cond, &mut loops.loop_step, &mut loops.result]
            {
                charge_expression(part);
            }
        }
    }
}

fn charge_call(call: &mut CallExpr) {
    let is_step = call.args.iter().any(collects);
    let is_free = FREE.contains(&call.func_name.as_str());
    for part in call.target.iter_mut().map(AsMut::as_mut).chain(&mut call.args) {
        charge_expression(part);
        let is_plain = matches!(part.expr, Expr::Literal(_));
        // The interpreter recognises `@result + [element]`. A list pays for each element instead.
        let is_kept = collects(part) || matches!(part.expr, Expr::List(_));
        if if is_step { !is_kept } else { !is_free && !is_plain } {
            wrap(part);
        }
    }
}

/// True for the result that a loop collects, and for a call that adds to it.
fn collects(node: &IdedExpr) -> bool {
    match &node.expr {
        Expr::Ident(name) => name == ACCUMULATOR,
        Expr::Call(call) => call.args.iter().any(collects),
        _ => false,
    }
}

fn charge_and_wrap(node: &mut IdedExpr) {
    charge_expression(node);
    wrap(node);
}

fn wrap(node: &mut IdedExpr) {
    let inner = std::mem::take(node);
    node.expr = Expr::Call(CallExpr { func_name: CHARGE.to_owned(), target: None, args: vec![inner] });
}
