//! Schemas that lead to themselves at the same value, as `a: {allOf: [{$ref: '#/a'}]}` does: nothing would end their
//! evaluation.

use super::shape::{Shape, ShapeId};

/// Drops keywords of a structure with one part until no schema leads to itself at the same value. A dropped keyword allows every value.
pub(super) fn cut(shapes: &mut [Shape]) {
    let edges: Vec<Vec<usize>> =
        shapes.iter().map(|shape| shape.in_place().into_iter().map(ShapeId::index).collect()).collect();
    let group = groups(&edges);
    for (id, next) in edges.iter().enumerate() {
        for other in next.iter().filter(|other| group[**other] == group[id]) {
            shapes[id].drop_negations(ShapeId::new(0, *other));
        }
    }
    drop_last_steps(shapes);
}

/// Drops the step that closes each circle.
fn drop_last_steps(shapes: &mut [Shape]) {
    // Per shape: not seen, on the way, or done.
    let mut done: Vec<Option<bool>> = vec![None; shapes.len()];
    for start in 0..shapes.len() {
        if done[start].is_some() {
            continue;
        }
        done[start] = Some(false);
        let mut path = vec![(start, shapes[start].in_place())];
        while let Some((id, waiting)) = path.last_mut() {
            let id = *id;
            match waiting.pop() {
                None => {
                    done[id] = Some(true);
                    path.pop();
                }
                Some(next) if done[next.index()] == Some(false) => shapes[id].drop_in_place(next),
                Some(next) if done[next.index()].is_none() => {
                    let next = next.index();
                    done[next] = Some(false);
                    path.push((next, shapes[next].in_place()));
                }
                Some(_) => {}
            }
        }
    }
}

/// A number for each shape; shapes that lead to each other have the same one (Kosaraju's algorithm).
fn groups(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut backward: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (id, next) in edges.iter().enumerate() {
        for other in next {
            backward[*other].push(id);
        }
    }
    let mut group = vec![usize::MAX; edges.len()];
    for start in finished(edges).into_iter().rev() {
        let mut waiting = vec![start];
        while let Some(id) = waiting.pop() {
            if group[id] == usize::MAX {
                group[id] = start;
                waiting.extend(&backward[id]);
            }
        }
    }
    group
}

/// The shapes in the order in which a depth-first walk leaves them.
fn finished(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut order = Vec::with_capacity(edges.len());
    for start in 0..edges.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![(start, edges[start].iter())];
        while let Some((id, rest)) = path.last_mut() {
            match rest.next() {
                None => {
                    order.push(*id);
                    path.pop();
                }
                Some(next) if !std::mem::replace(&mut seen[*next], true) => {
                    path.push((*next, edges[*next].iter()));
                }
                Some(_) => {}
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_lead_to_each_other_are_one_group() {
        // 0 → 1 → 2 → 1, 2 → 3, 4 → 4
        let group = groups(&[vec![1], vec![2], vec![1, 3], vec![], vec![4]]);
        assert_eq!(group[1], group[2]);
        let mut different = vec![group[0], group[1], group[3], group[4]];
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 4);
    }
}
