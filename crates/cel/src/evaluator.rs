//! Evaluates expressions.

use crate::{
    BinaryOperator, CelFunction, CelValue, EvaluationBudget, EvaluationError, Expression, LoopExpression,
    LoopKind, MapKey, UnaryOperator,
    arithmetic::{calculate, negate},
    call::call_function,
    comparison::{compare, is_equal, is_order_disputed},
    value::find_member,
};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Evaluation variables.
pub type CelVariables = HashMap<&'static str, CelValue>;

type Evaluated = Result<CelValue, EvaluationError>;

/// Evaluates an expression. An exhausted budget fails every further evaluation.
pub fn evaluate(expression: &Expression, variables: &CelVariables, budget: &EvaluationBudget) -> Evaluated {
    budget.check()?;
    Evaluator { variables, budget, elements: Vec::new() }.evaluate(expression)
}

struct Evaluator<'a> {
    variables: &'a CelVariables,
    budget: &'a EvaluationBudget,
    /// The elements that the loops around an expression visit, innermost last.
    elements: Vec<(&'a str, CelValue)>,
}

impl<'a> Evaluator<'a> {
    fn evaluate(&mut self, expression: &'a Expression) -> Evaluated {
        match expression {
            Expression::Literal(value) => Ok(value.clone()),
            Expression::Variable(name) => self.find_variable(name),
            Expression::Select { operand, field } => {
                let operand = self.evaluate(operand)?;
                let member = select_field(&operand, field)?;
                member.ok_or_else(|| EvaluationError::NoSuchKey(field.as_ref().to_owned()))
            }
            Expression::Has { operand, field } => {
                let operand = self.evaluate(operand)?;
                Ok(CelValue::Bool(select_field(&operand, field)?.is_some()))
            }
            Expression::Unary(operator, operand) => self.apply_unary(*operator, operand),
            Expression::Binary(operator, operands) => self.apply_binary(*operator, operands),
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.evaluate_bool("?:", condition)? { then } else { otherwise };
                self.evaluate(chosen)
            }
            Expression::List(elements) => {
                let elements = elements.iter().map(|element| self.evaluate_and_pay(element));
                elements.collect::<Result<Vec<_>, _>>().map(CelValue::from)
            }
            Expression::Map(entries) => self.build_map(entries),
            Expression::Call(function, arguments) => self.call(*function, arguments),
            Expression::Matches(text, pattern) => match self.operand(text)? {
                CelValue::Text(text) => Ok(CelValue::Bool(pattern.is_match(&text))),
                other => Err(EvaluationError::no_overload("matches", &[&other])),
            },
            Expression::Loop(details) => self.run_loop(details),
        }
    }

    fn find_variable(&self, name: &str) -> Evaluated {
        let element = self.elements.iter().rev().find(|(known, _)| *known == name).map(|(_, value)| value);
        let found = element.or_else(|| self.variables.get(name));
        found.cloned().ok_or_else(|| EvaluationError::UnknownVariable(name.to_owned()))
    }

    fn evaluate_and_pay(&mut self, expression: &'a Expression) -> Evaluated {
        let value = self.evaluate(expression)?;
        self.budget.pay(&value)?;
        Ok(value)
    }

    /// Evaluates an operand or a function argument. A literal costs nothing, and a list has paid for its elements.
    fn operand(&mut self, expression: &'a Expression) -> Evaluated {
        match expression {
            Expression::Literal(_) | Expression::List(_) => self.evaluate(expression),
            _ => self.evaluate_and_pay(expression),
        }
    }

    fn evaluate_bool(
        &mut self,
        operation: &'static str,
        expression: &'a Expression,
    ) -> Result<bool, EvaluationError> {
        match self.evaluate(expression)? {
            CelValue::Bool(yes) => Ok(yes),
            other => Err(EvaluationError::no_overload(operation, &[&other])),
        }
    }

    fn evaluate_loop_condition(&mut self, expression: &'a Expression) -> Result<bool, EvaluationError> {
        match self.evaluate(expression)? {
            CelValue::Bool(yes) => Ok(yes),
            other => Err(EvaluationError::not_loopable(&other)),
        }
    }

    fn apply_unary(&mut self, operator: UnaryOperator, operand: &'a Expression) -> Evaluated {
        match operator {
            UnaryOperator::Not => self.evaluate_bool("!", operand).map(|yes| CelValue::Bool(!yes)),
            UnaryOperator::Negate => negate(&self.operand(operand)?),
        }
    }

    fn apply_binary(&mut self, operator: BinaryOperator, operands: &'a [Expression; 2]) -> Evaluated {
        let [left, right] = operands;
        match operator {
            BinaryOperator::Or => self.apply_logical(operator, true, left, right),
            BinaryOperator::And => self.apply_logical(operator, false, left, right),
            BinaryOperator::Index => {
                let (operand, index) = (self.evaluate(left)?, self.evaluate(right)?);
                select_index(&operand, &index, right)
            }
            _ => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                apply_to_values(operator, &left, &right)
            }
        }
    }

    /// `&&` and `||`: the deciding operand decides even if the other one fails.
    fn apply_logical(
        &mut self,
        operator: BinaryOperator,
        deciding: bool,
        left: &'a Expression,
        right: &'a Expression,
    ) -> Evaluated {
        let left = self.evaluate_bool(operator.symbol(), left);
        if left == Ok(deciding) || left == Err(EvaluationError::BudgetExhausted) {
            return left.map(CelValue::Bool);
        }
        let right = self.evaluate_bool(operator.symbol(), right)?;
        if right == deciding { Ok(CelValue::Bool(deciding)) } else { left.map(CelValue::Bool) }
    }

    fn build_map(&mut self, entries: &'a [[Expression; 2]]) -> Evaluated {
        let mut members = BTreeMap::new();
        for [key, value] in entries {
            let (key, value) = (self.evaluate_and_pay(key)?, self.evaluate_and_pay(value)?);
            let keys = key.to_map_keys().filter(|_| !matches!(key, CelValue::Double(_)));
            let keys = keys.ok_or_else(|| EvaluationError::no_overload("{}", &[&key]))?;
            if find_member(&members, &keys).is_some() {
                return Err(EvaluationError::DuplicateKey);
            }
            let [first, _] = keys;
            members.extend(first.map(|key| (key, value)));
        }
        Ok(CelValue::Map(Arc::new(members)))
    }

    fn call(&mut self, function: CelFunction, arguments: &'a [Expression]) -> Evaluated {
        let arguments = arguments.iter().map(|argument| self.operand(argument));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        call_function(function, &arguments, self.budget)
    }

    fn run_loop(&mut self, details: &'a LoopExpression) -> Evaluated {
        let range = match self.evaluate_and_pay(&details.range)? {
            CelValue::List(elements) => elements,
            CelValue::Map(members) => members.keys().cloned().map(CelValue::from).collect(),
            other => return Err(EvaluationError::not_loopable(&other)),
        };
        self.elements.push((&details.variable, CelValue::Null));
        let place = self.elements.len() - 1;
        let result = match details.kind {
            LoopKind::All => self.fold_bools(details, &range, place, false),
            LoopKind::Exists => self.fold_bools(details, &range, place, true),
            LoopKind::ExistsOne => {
                self.select(details, &range, place).map(|found| CelValue::Bool(found.len() == 1))
            }
            LoopKind::Filter => self.select(details, &range, place).map(CelValue::from),
            LoopKind::Map => self.collect(details, &range, place).map(CelValue::from),
        };
        self.elements.truncate(place);
        result
    }

    /// `all` and `exists`: a deciding element decides even if others fail.
    fn fold_bools(
        &mut self,
        details: &'a LoopExpression,
        range: &[CelValue],
        place: usize,
        deciding: bool,
    ) -> Evaluated {
        let mut failure = None;
        for element in range {
            self.elements[place].1 = element.clone();
            match self.evaluate_and_pay(&details.body) {
                Ok(CelValue::Bool(yes)) if yes == deciding => return Ok(CelValue::Bool(deciding)),
                Ok(CelValue::Bool(_)) => {}
                Ok(other) => failure = Some(EvaluationError::not_loopable(&other)),
                Err(EvaluationError::BudgetExhausted) => return Err(EvaluationError::BudgetExhausted),
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(CelValue::Bool(!deciding)), Err)
    }

    /// The elements for which the body is true.
    fn select(
        &mut self,
        details: &'a LoopExpression,
        range: &[CelValue],
        place: usize,
    ) -> Result<Vec<CelValue>, EvaluationError> {
        let mut selected = Vec::new();
        for element in range {
            self.elements[place].1 = element.clone();
            self.budget.pay(&CelValue::Null)?;
            if self.evaluate_loop_condition(&details.body)? {
                self.budget.pay(element)?;
                selected.push(element.clone());
            }
        }
        Ok(selected)
    }

    /// The body's results.
    fn collect(
        &mut self,
        details: &'a LoopExpression,
        range: &[CelValue],
        place: usize,
    ) -> Result<Vec<CelValue>, EvaluationError> {
        let mut results = Vec::new();
        for element in range {
            self.elements[place].1 = element.clone();
            self.budget.pay(&CelValue::Null)?;
            let is_selected = match &details.filter {
                Some(filter) => self.evaluate_loop_condition(filter)?,
                None => true,
            };
            if is_selected {
                results.push(self.evaluate_and_pay(&details.body)?);
            }
        }
        Ok(results)
    }
}

fn apply_to_values(operator: BinaryOperator, left: &CelValue, right: &CelValue) -> Evaluated {
    let is_ordered = |fits: fn(Ordering) -> bool| {
        let order = compare(left, right);
        let order = order.ok_or_else(|| EvaluationError::no_overload(operator.symbol(), &[left, right]))?;
        if is_order_disputed(left, right) && fits(order) != fits(Ordering::Equal) {
            return Err(EvaluationError::NumberOverflow);
        }
        Ok(fits(order))
    };
    let result = match operator {
        BinaryOperator::Equal => is_equal(left, right),
        BinaryOperator::NotEqual => !is_equal(left, right),
        BinaryOperator::Less => is_ordered(Ordering::is_lt)?,
        BinaryOperator::LessOrEqual => is_ordered(Ordering::is_le)?,
        BinaryOperator::Greater => is_ordered(Ordering::is_gt)?,
        BinaryOperator::GreaterOrEqual => is_ordered(Ordering::is_ge)?,
        BinaryOperator::In => match (right, left.to_map_keys()) {
            (CelValue::List(elements), _) => elements.iter().any(|element| is_equal(element, left)),
            (CelValue::Map(members), Some(keys)) => find_member(members, &keys).is_some(),
            _ => return Err(EvaluationError::no_overload("in", &[left, right])),
        },
        _ => return calculate(operator, left, right),
    };
    Ok(CelValue::Bool(result))
}

fn select_field(operand: &CelValue, field: &Arc<str>) -> Result<Option<CelValue>, EvaluationError> {
    match operand {
        CelValue::Map(members) => Ok(members.get(&MapKey::Text(Arc::clone(field))).cloned()),
        other => Err(EvaluationError::no_overload(".", &[other])),
    }
}

fn select_index(operand: &CelValue, index: &CelValue, written: &Expression) -> Evaluated {
    let keys = index.to_map_keys();
    match (operand, keys) {
        (CelValue::List(elements), Some(keys)) if !matches!(index, CelValue::Bool(_) | CelValue::Text(_)) => {
            let place = keys.iter().flatten().find_map(|key| match key {
                MapKey::Int(place) => usize::try_from(*place).ok(),
                _ => None,
            });
            place.and_then(|place| elements.get(place)).cloned().ok_or(EvaluationError::OutOfBounds)
        }
        (CelValue::Map(members), Some(keys)) => {
            find_member(members, &keys).cloned().ok_or_else(|| match (written, index) {
                (Expression::Literal(_), CelValue::Text(key)) => {
                    EvaluationError::NoSuchKey(key.as_ref().to_owned())
                }
                _ => EvaluationError::NoSuchComputedKey,
            })
        }
        _ => Err(EvaluationError::no_overload("[]", &[operand, index])),
    }
}
