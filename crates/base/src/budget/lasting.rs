//! Values that are made when they are first asked for and then serve all later work.
//!
//! Which work asks first is chance, so its budget must not decide what they are: they are made outside of it. What belongs to
//! one document and ends with it is not such a value; that uses `std::cell::OnceCell` and is charged as everything else.

#![expect(clippy::disallowed_types, reason = "the types that all other modules use are made of these")]

use std::{
    fmt,
    ops::Deref,
    sync::{LazyLock, OnceLock},
};

use super::despite;

/// A cell that is filled once, by whoever asks first, outside of that work's budget.
#[derive(Clone)]
pub struct Once<T>(OnceLock<T>);

impl<T> Once<T> {
    /// An empty cell.
    pub const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value, if it was made already.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// The value, made by `make` when it is first asked for.
    #[inline]
    pub fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
        self.0.get().unwrap_or_else(|| self.0.get_or_init(|| despite(make)))
    }

    /// The value, if it was made.
    pub fn into_inner(self) -> Option<T> {
        self.0.into_inner()
    }
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for Once<T> {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl<T: fmt::Debug> fmt::Debug for Once<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A value with the function that makes it, outside of the budget of whoever asks first.
pub struct Lazy<T, F = fn() -> T>(LazyLock<T, F>);

impl<T, F: FnOnce() -> T> Lazy<T, F> {
    /// A value that `make` makes when it is first asked for.
    pub const fn new(make: F) -> Self {
        Self(LazyLock::new(make))
    }
}

impl<T, F: FnOnce() -> T> Deref for Lazy<T, F> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        LazyLock::get(&self.0).unwrap_or_else(|| despite(|| LazyLock::force(&self.0)))
    }
}

impl<T: fmt::Debug, F> fmt::Debug for Lazy<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Budget, charge, compile},
        *,
    };

    /// Runs work with a budget whose steps, bytes and patterns are used up.
    fn used_up<R>(work: impl FnOnce() -> R) -> R {
        let spent = Budget { steps: Some(1), bytes: Some(1), ..Budget::default() };
        spent
            .spend(|| {
                assert!(!charge(2) && compile(1, || ()).is_none());
                work()
            })
            .0
    }

    /// A value that is right only where the budget allows it to be made.
    fn made() -> bool {
        charge(1) && super::super::allocate(1) && compile(1, || ()).is_some() && super::super::suggest(1)
    }

    #[test]
    fn values_that_last_do_not_depend_on_the_work_that_asks_first() {
        static LAZY: Lazy<bool> = Lazy::new(made);
        let once = Once::new();
        assert!(used_up(|| *LAZY && *once.get_or_init(made)));
        assert!(*LAZY && once.into_inner() == Some(true));
    }

    #[test]
    fn a_panic_while_a_value_is_made_leaves_the_budget_in_force() {
        let budget = Budget { steps: Some(10), ..Budget::default() };
        let (panicked, spent) = budget.spend(|| {
            let make = || -> bool { panic!("on purpose") };
            let panicked = std::panic::catch_unwind(|| *Once::new().get_or_init(make)).is_err();
            charge(11);
            panicked
        });
        assert!(panicked && spent.exceeded.is_some());
    }
}
