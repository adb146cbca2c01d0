//! Expressions that differ from another one in one point, for those who try whether the difference is noticed.

use std::collections::BTreeMap;

use cel::common::ast::{Expr, IdedExpr, operators};

use super::condition::compile;

/// An expression that differs from the one it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// What is different, in the imperative.
    pub change: String,
    /// The expression.
    pub source: String,
}

/// Operators, as they are called in the syntax tree and written, with what they are exchanged for.
const EXCHANGED: &[(&str, &str, &str)] = &[
    (operators::GREATER, ">", ">="),
    (operators::GREATER_EQUALS, ">=", ">"),
    (operators::LESS, "<", "<="),
    (operators::LESS_EQUALS, "<=", "<"),
    (operators::EQUALS, "==", "!="),
    (operators::NOT_EQUALS, "!=", "=="),
];

/// The negation of an expression, the expression without one operand of its outermost `&&` or `||`, and with one
/// comparison exchanged. Nothing for one that does not compile.
pub fn variants(source: &str) -> Vec<Variant> {
    let Ok(program) = compile(source) else { return Vec::new() };
    let mut variants =
        vec![Variant { change: "negate the condition".to_owned(), source: format!("!({source})") }];
    let written = |id: u64, operator: &str| {
        let (start, _) = program.source_info().offset_for(id)?;
        // Offsets are of tokens; code that a macro stands for has those of the macro.
        source.get(start as usize..)?.starts_with(operator).then_some(start as usize)
    };
    for (name, operator) in [(operators::LOGICAL_AND, "&&"), (operators::LOGICAL_OR, "||")] {
        let mut places = Vec::new();
        chain(program.expression(), name, &mut |id| places.extend(written(id, operator)));
        places.sort_unstable();
        let operands = operands(source, &places, operator.len());
        if operands.len() < 2 || operands.iter().any(|operand| compile(operand).is_err()) {
            continue;
        }
        for (index, dropped) in operands.iter().enumerate() {
            let mut left = operands.clone();
            left.remove(index);
            variants
                .push(Variant { change: format!("drop `{}`", dropped.trim()), source: left.join(operator) });
        }
    }
    let mut exchanged: BTreeMap<usize, (&str, &str)> = BTreeMap::new();
    walk(program.expression(), &mut |name, id| {
        let known = EXCHANGED.iter().find(|(call, ..)| *call == name);
        if let Some((_, operator, other)) = known
            && let Some(start) = written(id, operator)
        {
            exchanged.insert(start, (operator, other));
        }
    });
    for (start, (operator, other)) in exchanged {
        let mut changed = source.to_owned();
        changed.replace_range(start..start + operator.len(), other);
        variants.push(Variant { change: format!("write `{other}` for `{operator}`"), source: changed });
    }
    variants
}

/// The parts of an expression between operators at these places.
fn operands<'s>(source: &'s str, places: &[usize], length: usize) -> Vec<&'s str> {
    let mut start = 0;
    let mut operands = Vec::with_capacity(places.len() + 1);
    for place in places {
        operands.push(&source[start..*place]);
        start = place + length;
    }
    operands.push(&source[start..]);
    operands
}

/// Visits the calls of an operator at the top of an expression, however they are nested in each other.
fn chain(expression: &IdedExpr, name: &str, visit: &mut impl FnMut(u64)) {
    if let Expr::Call(call) = &expression.expr
        && call.func_name == name
    {
        visit(expression.id);
        call.args.iter().for_each(|operand| chain(operand, name, visit));
    }
}

/// Visits every call with the name of what it calls.
fn walk(expression: &IdedExpr, visit: &mut impl FnMut(&str, u64)) {
    match &expression.expr {
        Expr::Call(call) => {
            visit(&call.func_name, expression.id);
            call.target.iter().for_each(|target| walk(target, visit));
            call.args.iter().for_each(|argument| walk(argument, visit));
        }
        Expr::Select(select) => walk(&select.operand, visit),
        Expr::List(list) => list.elements.iter().for_each(|element| walk(element, visit)),
        Expr::Comprehension(inner) => {
            for part in [&inner.iter_range, &inner.loop_step, &inner.result] {
                walk(part, visit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::variants;

    fn sources(source: &str) -> Vec<String> {
        variants(source).into_iter().map(|variant| variant.source).collect()
    }

    #[test]
    fn operands_are_dropped_and_comparisons_exchanged() {
        assert_eq!(
            sources("self.a > 1 && has(self.b) && self.c == 'x && y'"),
            [
                "!(self.a > 1 && has(self.b) && self.c == 'x && y')",
                " has(self.b) && self.c == 'x && y'",
                "self.a > 1 && self.c == 'x && y'",
                "self.a > 1 && has(self.b) ",
                "self.a >= 1 && has(self.b) && self.c == 'x && y'",
                "self.a > 1 && has(self.b) && self.c != 'x && y'",
            ]
        );
    }

    #[test]
    fn operators_inside_brackets_and_macros_stay_together() {
        assert_eq!(
            sources("(self.a || self.b) && self.c.exists(x, x <= 2 || x == 5)"),
            [
                "!((self.a || self.b) && self.c.exists(x, x <= 2 || x == 5))",
                " self.c.exists(x, x <= 2 || x == 5)",
                "(self.a || self.b) ",
                "(self.a || self.b) && self.c.exists(x, x < 2 || x == 5)",
                "(self.a || self.b) && self.c.exists(x, x <= 2 || x != 5)",
            ]
        );
        assert_eq!(sources("self ==").len(), 0);
    }
}
