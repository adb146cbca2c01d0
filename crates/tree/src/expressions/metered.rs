//! CEL that is charged to the budget. Its interpreter cannot be interrupted, so what it runs is changed first:
//! every turn of a loop (a macro such as `all`) calls a function that fails when the budget is used up,
//! the result of what makes values larger (`+`, lists, maps) is measured, and so is what a loop keeps and what a comparison or a
//! search reads.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use cel::{
    Context, ExecutionError, FunctionContext,
    common::{
        ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators},
        types::{CelList, CelMap, CelString},
        value::{Builtin, CowVal, Val},
    },
    extractors::This,
};
use regex::Regex;

use crate::budget::{self, Once};

/// Function that charges a turn of a loop. No expression can call it: names do not begin with `@`.
const TURN: &str = "@turn";

/// Function that measures a value, and gives it back.
const SIZED: &str = "@sized";

/// Function that measures a value that a loop keeps, and gives it back.
const KEPT: &str = "@kept";

/// Function that charges the reading of a value, and gives it back.
const READ: &str = "@read";

/// Function that charges the reading of text, and gives back whatever it gets: the number of items of a list is known.
const TEXT: &str = "@text";

/// Function that gives a value back with all maps in it as maps of CEL: those of a document are read member by member.
const WHOLE: &str = "@whole";

/// Function in place of `matches`, which compiles a pattern once.
const MATCHES: &str = "@matches";

/// Most that a value may weigh: its items, and its text in pieces of [`PIECE`] bytes.
const LARGEST: usize = 1 << 19;

/// Bytes of text that weigh as much as an item.
const PIECE: usize = 32;

/// Weight of a value that counts as memory: others are gone before there are many of them.
const HEAVY: usize = 1 << 10;

/// Bytes of text that are read in a step.
const READ_BYTES: usize = 16;

/// Text of a literal, and items of a list, that are compared without a charge.
const BRIEF: usize = 64;

/// Steps of a turn of a loop, whose condition the interpreter walks through.
const TURNED: u64 = 16;

/// Most patterns that are kept compiled.
const PATTERNS: usize = 64;

/// A copy of an expression with the calls that charge it.
pub(super) fn metered(expression: &IdedExpr) -> IdedExpr {
    let mut metered = expression.clone();
    meter(&mut metered);
    metered
}

/// A function that gets its arguments as they are: others get copies.
type Function = Box<
    dyn for<'c, 'v> Fn(&mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> + Send + Sync,
>;

/// Adds the functions that metered expressions call.
pub(super) fn add_functions(context: &mut Context<'_, '_>) {
    let _ = context.add_function(TURN, turn);
    let sized: Function = Box::new(sized);
    let _ = context.add_function(SIZED, sized);
    let kept: Function = Box::new(kept);
    let _ = context.add_function(KEPT, kept);
    let read: Function = Box::new(read);
    let _ = context.add_function(READ, read);
    let whole: Function = Box::new(whole);
    let _ = context.add_function(WHOLE, whole);
    let text: Function = Box::new(text);
    let _ = context.add_function(TEXT, text);
    let _ = context.add_function(MATCHES, matches);
}

fn meter(expression: &mut IdedExpr) {
    match &mut expression.expr {
        Expr::Call(call) => {
            call.target.iter_mut().for_each(|target| meter(target));
            call.args.iter_mut().for_each(meter);
            if call.func_name == "matches" {
                MATCHES.clone_into(&mut call.func_name);
            }
            match call.func_name.as_str() {
                operators::ADD => wrap(SIZED, expression),
                operators::EQUALS
                | operators::NOT_EQUALS
                | operators::LESS
                | operators::LESS_EQUALS
                | operators::GREATER
                | operators::GREATER_EQUALS => {
                    // What differs in length, and what differs early, is compared at once: the shorter one bounds the work.
                    if let [left, right] = call.args.as_mut_slice()
                        && !is_brief(left)
                        && !is_brief(right)
                    {
                        // A map of CEL is equal to maps of CEL only.
                        if has_map(left) {
                            wrap(WHOLE, right);
                        }
                        wrap(READ, left);
                    }
                }
                operators::IN => {
                    if let [item, list] = call.args.as_mut_slice()
                        && (has_map(item) || has_map(list))
                    {
                        wrap(WHOLE, item);
                        wrap(WHOLE, list);
                    }
                    let lists = call.args.iter_mut().skip(1).filter(|list| !is_brief(list));
                    lists.for_each(|list| wrap(READ, list));
                }
                "contains" | "size" | "string" | "bytes" => {
                    let read = call.target.iter_mut().map(AsMut::as_mut).chain(call.args.iter_mut().take(1));
                    read.filter(|value| !is_brief(value)).for_each(|value| wrap(TEXT, value));
                }
                "nearest" => call.args.iter_mut().skip(1).for_each(|candidates| wrap(WHOLE, candidates)),
                _ => {}
            }
        }
        Expr::Comprehension(comprehension) => loops(comprehension),
        Expr::List(list) => {
            list.elements.iter_mut().for_each(meter);
            if list.elements.iter().any(is_made) {
                wrap(SIZED, expression);
            }
        }
        Expr::Map(map) => entries(&mut map.entries),
        Expr::Struct(made) => entries(&mut made.entries),
        Expr::Select(select) => meter(&mut select.operand),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
    }
    if let Expr::Map(map) = &expression.expr
        && map
            .entries
            .iter()
            .any(|entry| matches!(&entry.expr, EntryExpr::MapEntry(one) if is_made(&one.value)))
    {
        wrap(SIZED, expression);
    }
}

/// Whether a value takes no time to read: a literal that is not long, or a short list of such literals.
fn is_brief(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => text.inner().len() <= BRIEF,
        Expr::Literal(_) => true,
        Expr::List(list) => list.elements.len() <= BRIEF && list.elements.iter().all(is_brief),
        _ => false,
    }
}

/// Whether a value has a map that is written in the expression.
fn has_map(expression: &IdedExpr) -> bool {
    match &expression.expr {
        Expr::Map(_) => true,
        Expr::List(list) => list.elements.iter().any(has_map),
        Expr::Call(call) => call.args.iter().any(has_map),
        _ => false,
    }
}

/// Measures what a loop appends, unless it is the item of the turn or a literal.
fn keeps(items: &mut [IdedExpr], turn: &str) {
    for item in items {
        meter(item);
        match &item.expr {
            Expr::Literal(_) => {}
            Expr::Ident(name) if name == turn => {}
            _ => wrap(KEPT, item),
        }
    }
}

fn entries(entries: &mut [cel::common::ast::IdedEntryExpr]) {
    for entry in entries {
        match &mut entry.expr {
            EntryExpr::MapEntry(one) => {
                meter(&mut one.key);
                meter(&mut one.value);
            }
            EntryExpr::StructField(field) => meter(&mut field.value),
        }
    }
}

/// Whether a value is more than what is written.
fn is_made(expression: &IdedExpr) -> bool {
    !matches!(expression.expr, Expr::Literal(_))
}

fn loops(comprehension: &mut ComprehensionExpr) {
    meter(&mut comprehension.iter_range);
    meter(&mut comprehension.accu_init);
    let accumulator = comprehension.accu_var.clone();
    let turn = comprehension.iter_var.clone();
    let is_accumulator = |one: &IdedExpr| matches!(&one.expr, Expr::Ident(name) if *name == accumulator);
    // The interpreter appends in place where it recognizes the step of `map` and `filter`, which therefore keeps
    // its form, and where the condition of the loop is a literal.
    let plain =
        matches!(comprehension.loop_cond.expr, Expr::Literal(_)) && is_accumulator(&comprehension.result);
    let step = &mut comprehension.loop_step;
    if plain && let Some(list) = appended(step, &accumulator) {
        keeps(list, &turn);
        let appending = std::mem::take(step);
        let otherwise = IdedExpr { id: appending.id, expr: Expr::Ident(accumulator) };
        *step = conditional(call(TURN, Vec::new()), appending, otherwise);
        return;
    }
    if plain
        && let Expr::Call(choice) = &mut step.expr
        && choice.func_name == operators::CONDITIONAL
        && let [guard, appending, otherwise] = choice.args.as_mut_slice()
        && is_accumulator(otherwise)
        && let Some(list) = appended(appending, &accumulator)
    {
        keeps(list, &turn);
        meter(guard);
        let wanted = std::mem::take(guard);
        *guard = conditional(call(TURN, Vec::new()), wanted, boolean(false));
        return;
    }
    meter(step);
    meter(&mut comprehension.result);
    let condition = std::mem::take(&mut comprehension.loop_cond);
    comprehension.loop_cond = conditional(call(TURN, Vec::new()), condition, boolean(false));
}

/// The items of `accumulator + [items]`.
fn appended<'e>(step: &'e mut IdedExpr, accumulator: &str) -> Option<&'e mut Vec<IdedExpr>> {
    let Expr::Call(add) = &mut step.expr else { return None };
    if add.func_name != operators::ADD {
        return None;
    }
    let [left, right] = add.args.as_mut_slice() else { return None };
    match (&left.expr, &mut right.expr) {
        (Expr::Ident(name), Expr::List(list)) if name == accumulator => Some(&mut list.elements),
        _ => None,
    }
}

fn wrap(function: &str, expression: &mut IdedExpr) {
    let value = std::mem::take(expression);
    *expression = call(function, vec![value]);
}

fn call(function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    let id = args.first().map_or(0, |argument| argument.id);
    let call = CallExpr { func_name: function.to_owned(), target: None, args };
    IdedExpr { id, expr: Expr::Call(call) }
}

/// `when ? then : otherwise`, which fails where `when` does.
fn conditional(when: IdedExpr, then: IdedExpr, otherwise: IdedExpr) -> IdedExpr {
    call(operators::CONDITIONAL, vec![when, then, otherwise])
}

fn boolean(value: bool) -> IdedExpr {
    IdedExpr { id: 0, expr: Expr::Literal(LiteralValue::Boolean(value.into())) }
}

fn used_up() -> ExecutionError {
    ExecutionError::function_error("condition", "its budget is used up")
}

fn turn() -> Result<bool, ExecutionError> {
    if budget::charge(TURNED) { Ok(true) } else { Err(used_up()) }
}

fn sized<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> {
    weighed(call, HEAVY)
}

fn kept<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> {
    weighed(call, 0)
}

/// The argument, whose weight is charged; it counts as memory from some weight on.
fn weighed<'c, 'v>(
    call: &mut FunctionContext<'c, 'v>,
    heavy: usize,
) -> Result<CowVal<'c, 'v>, ExecutionError> {
    let value = call.args.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    let mut left = LARGEST;
    let weighed = weigh(value.as_ref(), &mut left);
    let weight = LARGEST - left;
    if weighed.is_err() {
        // An error does not end every loop.
        budget::charge(weight as u64);
    }
    weighed?;
    let fits = weight < heavy || budget::allocate(weight * PIECE);
    if fits && budget::charge(weight as u64) { Ok(value) } else { Err(used_up()) }
}

fn read<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> {
    let value = call.args.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    if budget::charge(extent(value.as_ref())) { Ok(value) } else { Err(used_up()) }
}

fn whole<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> {
    let value = call.args.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    Ok(CowVal::Owned(in_whole(value.into_owned())?))
}

/// A value with all maps in it as maps of CEL.
fn in_whole<'v>(value: Box<dyn Val + 'v>) -> Result<Box<dyn Val + 'v>, ExecutionError> {
    if !matches!(value.get_type().name(), "list" | "map") {
        return Ok(value);
    }
    if !budget::charge(1) {
        return Err(used_up());
    }
    match value.clone_as_boxed().into_builtin() {
        Some(Builtin::List(list)) => {
            let items: Result<Vec<_>, _> = list.into_inner().into_iter().map(in_whole).collect();
            Ok(Box::new(CelList::from(items?)))
        }
        Some(Builtin::Map(map)) => {
            let entries = map.into_inner().into_iter();
            let entries: Result<HashMap<_, _>, ExecutionError> =
                entries.map(|(key, value)| Ok((key, in_whole(value)?))).collect();
            Ok(Box::new(CelMap::from(entries?)))
        }
        _ => Ok(value),
    }
}

fn text<'c, 'v>(call: &mut FunctionContext<'c, 'v>) -> Result<CowVal<'c, 'v>, ExecutionError> {
    let value = call.args.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    if let Some(text) = string(value.as_ref()) {
        charge_text(text.len())?;
    }
    Ok(value)
}

/// The steps that it takes to read a value. What the document has is charged when it is read, except for the number of its items.
fn extent(value: &dyn Val) -> u64 {
    if let Some(text) = string(value) {
        return 1 + (text.len() / READ_BYTES) as u64;
    }
    if let Some(list) = value.downcast_ref::<CelList<'_>>() {
        return 1 + list.inner().iter().map(|item| extent(item.as_ref())).sum::<u64>();
    }
    if let Some(map) = value.downcast_ref::<CelMap<'_>>() {
        return 1 + map.inner().values().map(|value| 1 + extent(value.as_ref())).sum::<u64>();
    }
    let sizer = value.as_sizer().filter(|_| is_list(value));
    1 + sizer.map_or(0, |sizer| u64::try_from(*sizer.size().inner()).unwrap_or_default())
}

/// Charges text that a function reads.
pub(super) fn charge_text(bytes: usize) -> Result<(), ExecutionError> {
    if budget::charge(1 + (bytes / READ_BYTES) as u64) { Ok(()) } else { Err(used_up()) }
}

/// Charges text that a function makes, with other items; not when it is too long.
pub(super) fn charge_made(bytes: usize, items: usize) -> Result<(), ExecutionError> {
    let weight = 1 + items + bytes / PIECE;
    // What is too large is charged, too: it was measured.
    if !budget::charge(weight as u64) {
        return Err(used_up());
    }
    if weight > LARGEST {
        return Err(ExecutionError::function_error("condition", "a value is too large"));
    }
    if weight < HEAVY || budget::allocate(weight * PIECE) { Ok(()) } else { Err(used_up()) }
}

/// Takes the weight of a value from what is left.
fn weigh(value: &dyn Val, left: &mut usize) -> Result<(), ExecutionError> {
    let too_large = || ExecutionError::function_error("condition", "a value is too large");
    let iterable = value.as_iterable();
    let text = if iterable.is_some() {
        0
    } else {
        value.as_sizer().map_or(0, |sizer| usize::try_from(*sizer.size().inner()).unwrap_or_default())
    };
    *left = left.checked_sub(1 + text / PIECE).ok_or_else(too_large)?;
    let Some(iterable) = iterable else { return Ok(()) };
    let mut items = iterable.iter();
    while let Some(item) = items.next() {
        weigh(item, left)?;
        if let Some(entry) = value.as_indexer().filter(|_| value.as_container().is_some() && !is_list(value))
        {
            weigh(entry.get(item)?.as_ref(), left)?;
        }
    }
    Ok(())
}

/// The text of a string. What is of another type is not asked for its value: a list of the document makes its items then.
fn string<'b>(value: &'b (dyn Val + '_)) -> Option<&'b str> {
    (value.get_type().name() == "string")
        .then(|| value.downcast_ref::<CelString<'_>>().map(CelString::inner))?
}

fn is_list(value: &dyn Val) -> bool {
    value.get_type().name() == "list"
}

fn matches(This(text): This<Arc<String>>, pattern: Arc<String>) -> Result<bool, ExecutionError> {
    Ok(pattern_for(&text, &pattern, "matches")?.is_match(&text))
}

/// The pattern that a function applies to text, which is charged.
pub(super) fn pattern_for(text: &str, pattern: &str, function: &str) -> Result<Regex, ExecutionError> {
    charge_text(text.len())?;
    compiled(pattern).ok_or_else(|| ExecutionError::function_error(function, "not a valid pattern"))
}

/// The patterns of conditions, most of which are literals.
fn compiled(pattern: &str) -> Option<Regex> {
    static PATTERNS_KNOWN: Once<Mutex<HashMap<String, Regex>>> = Once::new();
    let known = PATTERNS_KNOWN.get_or_init(Mutex::default);
    if let Some(regex) = known.lock().ok()?.get(pattern) {
        return Some(regex.clone());
    }
    // What does not compile now may have been ended by the budget, so it is not kept.
    let regex = crate::text::pattern(pattern).ok()?;
    let mut known = known.lock().ok()?;
    if known.len() >= PATTERNS {
        known.clear();
    }
    known.insert(pattern.to_owned(), regex.clone());
    Some(regex)
}
