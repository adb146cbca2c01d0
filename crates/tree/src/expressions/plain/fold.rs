//! Conditions with the options of a rule filled in, for rules that look at many nodes.

use serde_json::Value;

use super::{
    bindings::Bindings,
    form::{Form, Name},
    value::Plain,
};

/// What a condition without names needs.
struct Nothing;

impl Bindings for Nothing {
    fn value<'b>(&'b self, _: &str) -> Option<cel::common::value::CowVal<'b, 'b>> {
        None
    }
}

impl Form {
    /// Fits the condition to these options: what depends on nothing else is decided.
    pub(in super::super) fn with_options(&self, options: &Value) -> Self {
        if let Some(value) = self.option(options) {
            return Self::literal(&Plain::from(value)).unwrap_or_else(|| self.clone());
        }
        if let Self::Has(of, name) = self
            && let Some(Value::Object(members)) = of.option(options)
        {
            return Self::Bool(members.contains_key(name));
        }
        if let Self::Size(of) = self
            && let Some(Value::Array(items)) = of.option(options)
        {
            return Self::Int(items.len() as i64);
        }
        if let Self::IsOf(of, name) = self
            && let Some(own) = of.option(options).and_then(|value| Plain::from(value).type_name())
        {
            return Self::Bool(own == *name);
        }
        self.map(&|part| part.with_options(options)).decided()
    }

    /// The part of the options that the form names; nothing for another form.
    fn option<'o>(&self, options: &'o Value) -> Option<&'o Value> {
        match self {
            Self::Name(Name::Options) => Some(options),
            Self::Select(of, name) => of.option(options)?.get(name),
            _ => None,
        }
    }

    /// Decides the condition as far as its parts are decided.
    fn decided(self) -> Self {
        match self {
            // One side decides whatever the other one is, also where that fails.
            Self::And(two) if two.iter().any(|one| matches!(one, Self::Bool(false))) => Self::Bool(false),
            Self::Or(two) if two.iter().any(|one| matches!(one, Self::Bool(true))) => Self::Bool(true),
            Self::And(two) => Self::without(*two, true, Self::And),
            Self::Or(two) => Self::without(*two, false, Self::Or),
            Self::Choose(three) => {
                let [when, then, otherwise] = *three;
                match when {
                    Self::Bool(true) => then,
                    Self::Bool(false) => otherwise,
                    when => Self::Choose(Box::new([when, then, otherwise])),
                }
            }
            form if form.is_made_of_literals() => {
                let value = form.value(&Nothing).ok().and_then(|value| Self::literal(&value));
                value.unwrap_or(form)
            }
            form => form,
        }
    }

    /// `true && other` is the other one, if that is a boolean.
    fn without(two: [Self; 2], neutral: bool, make: fn(Box<[Self; 2]>) -> Self) -> Self {
        let is_neutral = |one: &Self| matches!(one, Self::Bool(value) if *value == neutral);
        let [left, right] = two;
        if is_neutral(&left) && right.is_boolean() {
            right
        } else if is_neutral(&right) && left.is_boolean() {
            left
        } else {
            make(Box::new([left, right]))
        }
    }

    fn literal(value: &Plain<'_>) -> Option<Self> {
        Some(match value {
            Plain::Null => Self::Null,
            Plain::Bool(value) => Self::Bool(*value),
            Plain::Int(value) => Self::Int(*value),
            Plain::Text(text) => Self::Text(text.to_string()),
            _ => return None,
        })
    }

    /// Whether its value is a boolean wherever it has one.
    fn is_boolean(&self) -> bool {
        match self {
            Self::Bool(_)
            | Self::Has(..)
            | Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Equal(_)
            | Self::Unequal(_)
            | Self::Less(_)
            | Self::LessOrEqual(_)
            | Self::Greater(_)
            | Self::GreaterOrEqual(_)
            | Self::In(_)
            | Self::IsOf(..)
            | Self::Contains(_)
            | Self::StartsWith(_)
            | Self::EndsWith(_)
            | Self::Matches(_)
            | Self::MatchesLiteral(..)
            | Self::Exists(_)
            | Self::All(_) => true,
            Self::Choose(three) => three[1].is_boolean() && three[2].is_boolean(),
            _ => false,
        }
    }

    /// Whether it is an operation on literals.
    fn is_made_of_literals(&self) -> bool {
        let is_literal =
            |one: &Self| matches!(one, Self::Null | Self::Bool(_) | Self::Int(_) | Self::Text(_));
        match self {
            Self::Not(of) | Self::Negative(of) | Self::Size(of) | Self::IsOf(of, _) => is_literal(of),
            Self::Equal(two)
            | Self::Unequal(two)
            | Self::Less(two)
            | Self::LessOrEqual(two)
            | Self::Greater(two)
            | Self::GreaterOrEqual(two)
            | Self::Add(two)
            | Self::Subtract(two)
            | Self::Multiply(two)
            | Self::Contains(two)
            | Self::StartsWith(two)
            | Self::EndsWith(two) => two.iter().all(is_literal),
            _ => false,
        }
    }

    /// A copy with its parts changed.
    fn map(&self, change: &dyn Fn(&Self) -> Self) -> Self {
        let one = |of: &Self| Box::new(change(of));
        let two = |two: &[Self; 2]| Box::new([change(&two[0]), change(&two[1])]);
        let three = |three: &[Self; 3]| Box::new([change(&three[0]), change(&three[1]), change(&three[2])]);
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Text(_) | Self::Name(_) | Self::Turn(_) => {
                self.clone()
            }
            Self::List(items) => Self::List(items.iter().map(change).collect()),
            Self::Select(of, name) => Self::Select(one(of), name.clone()),
            Self::Index(of, at) => Self::Index(one(of), one(at)),
            Self::Has(of, name) => Self::Has(one(of), name.clone()),
            Self::Not(of) => Self::Not(one(of)),
            Self::Negative(of) => Self::Negative(one(of)),
            Self::IsOf(of, name) => Self::IsOf(one(of), name),
            Self::Size(of) => Self::Size(one(of)),
            Self::MatchesLiteral(of, pattern) => Self::MatchesLiteral(one(of), pattern.clone()),
            Self::Lower(of) => Self::Lower(one(of)),
            Self::Upper(of) => Self::Upper(one(of)),
            Self::Trim(of) => Self::Trim(one(of)),
            Self::And(parts) => Self::And(two(parts)),
            Self::Or(parts) => Self::Or(two(parts)),
            Self::Equal(parts) => Self::Equal(two(parts)),
            Self::Unequal(parts) => Self::Unequal(two(parts)),
            Self::Less(parts) => Self::Less(two(parts)),
            Self::LessOrEqual(parts) => Self::LessOrEqual(two(parts)),
            Self::Greater(parts) => Self::Greater(two(parts)),
            Self::GreaterOrEqual(parts) => Self::GreaterOrEqual(two(parts)),
            Self::Add(parts) => Self::Add(two(parts)),
            Self::Subtract(parts) => Self::Subtract(two(parts)),
            Self::Multiply(parts) => Self::Multiply(two(parts)),
            Self::In(parts) => Self::In(two(parts)),
            Self::Contains(parts) => Self::Contains(two(parts)),
            Self::StartsWith(parts) => Self::StartsWith(two(parts)),
            Self::EndsWith(parts) => Self::EndsWith(two(parts)),
            Self::Matches(parts) => Self::Matches(two(parts)),
            Self::Exists(parts) => Self::Exists(two(parts)),
            Self::All(parts) => Self::All(two(parts)),
            Self::Filter(parts) => Self::Filter(two(parts)),
            Self::Choose(parts) => Self::Choose(three(parts)),
            Self::Replace(parts) => Self::Replace(three(parts)),
        }
    }
}
