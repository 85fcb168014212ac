//! The vector space in which issues are compared: the weights of terms, and the joined vectors of issues.
use crate::features::{Features, Measure, PAIR};
use crate::vectors;
use std::collections::HashMap;

/// From this number of issues on, rare terms count more than common ones.
const FIRST_WEIGHTS: usize = 16;
/// From this number of issues on, vectors of an engine are compared, after subtracting their mean.
const FIRST_CENTRE: usize = 64;
/// The weight of the general mean of static vectors, as a number of issues.
const GENERAL: f32 = 100.0;

/// The index of a known term or character n-gram.
pub(super) type Dimension = u32;

/// The joined vector of an issue: terms and character n-grams (sparse), and its vector (dense). The dot product of two
/// joined vectors is the similarity of their issues.
#[derive(Clone, Debug, Default)]
pub(super) struct Joined {
    pub sparse: Vec<(Dimension, f32)>,
    pub dense: Vec<f32>,
}

impl Joined {
    /// The square of its length.
    pub(super) fn square(&self) -> f32 {
        self.sparse.iter().map(|(_, part)| part * part).sum::<f32>() + dot(&self.dense, &self.dense)
    }
}

/// The dot product of two vectors; 0 if their lengths differ.
pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    if one.len() != other.len() {
        return 0.0;
    }
    // Eight sums at once, in a fixed order, so that results do not depend on the machine.
    let mut sums = [0.0_f32; 8];
    let (ones, one_rest) = one.as_chunks::<8>();
    let (others, other_rest) = other.as_chunks::<8>();
    for (one, other) in ones.iter().zip(others) {
        for at in 0..8 {
            sums[at] += one[at] * other[at];
        }
    }
    let rest: f32 = one_rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + rest
}

/// The vector space of a group.
#[derive(Debug)]
pub(super) struct Space {
    language: Measure,
    measure: Measure,
    dimensions: HashMap<u64, Dimension>,
    /// The inverse document frequency of each dimension, its weight.
    rarity: Vec<f32>,
    /// The weight of an unknown term.
    rarest: f32,
    /// Whether vectors are those of an engine, and their length.
    vectors: Option<(bool, usize)>,
    /// The mean of the vectors. It is subtracted from them, so that one threshold fits every model.
    centre: Vec<f32>,
    /// The number of issues from which the weights were computed.
    pub weighed: usize,
}

impl Space {
    pub(super) fn new(measure: Measure) -> Self {
        Self {
            language: measure,
            measure,
            dimensions: HashMap::new(),
            rarity: Vec::new(),
            rarest: 1.0,
            vectors: None,
            centre: Vec::new(),
            weighed: 0,
        }
    }

    /// The measure for the language, without an engine.
    pub(super) fn language(&self) -> Measure {
        self.language
    }

    pub(super) fn threshold(&self) -> f32 {
        self.measure.threshold()
    }

    /// The number of dimensions.
    pub(super) fn len(&self) -> usize {
        self.rarity.len()
    }

    /// The greatest number of issues, at most `count`, at which weights are computed. These numbers grow by a quarter
    /// each time, so weights do not depend on when a group is built.
    pub(super) fn weighed_at(count: usize) -> usize {
        let mut at = 0;
        let mut next = FIRST_WEIGHTS;
        while next <= count {
            at = next;
            next += next / 4;
        }
        at
    }

    /// Adds the terms of an issue as dimensions.
    pub(super) fn learn(&mut self, features: &Features) {
        for (key, _) in keys(features) {
            let next = self.rarity.len() as Dimension;
            self.dimensions.entry(key).or_insert_with(|| {
                self.rarity.push(self.rarest);
                next
            });
        }
        if !features.vector.is_empty() && (self.vectors.is_none() || features.engine) {
            let vectors = Some((features.engine, features.vector.len()));
            if self.vectors != vectors {
                self.vectors = vectors;
                self.centre = if features.engine { Vec::new() } else { vectors::general_mean() };
            }
            self.measure = match self.language {
                _ if features.engine && self.centre.is_empty() => Measure::Words,
                _ if features.engine => Measure::Vectors,
                language => language,
            };
        }
    }

    /// Computes the weights from these issues, whose terms are known.
    pub(super) fn weigh<'a>(&mut self, issues: impl ExactSizeIterator<Item = &'a Features> + Clone) {
        self.weighed = issues.len();
        let mut counts = vec![0_u32; self.rarity.len()];
        for (key, _) in issues.clone().flat_map(keys) {
            if let Some(at) = self.dimensions.get(&key) {
                counts[*at as usize] += 1;
            }
        }
        let all = self.weighed as f32 + 1.0;
        let rarity = |count: u32| (all / (count as f32 + 1.0)).ln() + 1.0;
        self.rarity = counts.into_iter().map(rarity).collect();
        self.rarest = rarity(0);
        let Some((engine, size)) = self.vectors else { return };
        let general = if engine { (0.0, vec![0.0; size]) } else { (GENERAL, vectors::general_mean()) };
        let (mut count, mut sum) = general;
        sum.iter_mut().for_each(|part| *part *= count);
        for features in issues.filter(|features| features.engine == engine && features.vector.len() == size) {
            count += 1.0;
            sum.iter_mut().zip(vector(features)).for_each(|(sum, part)| *sum += part);
        }
        if count as usize >= FIRST_CENTRE {
            sum.iter_mut().for_each(|part| *part /= count);
            self.centre = sum;
            self.measure = if engine { Measure::Vectors } else { self.language };
        }
    }

    /// The joined vector of an issue. Unknown terms count only for its length.
    pub(super) fn join(&self, features: &Features) -> Joined {
        let (of_words, of_grams, of_vectors) = self.measure.weights();
        let mut joined = Joined::default();
        let terms = features.terms.len();
        let mut part = |keys: &mut dyn Iterator<Item = (u64, f32)>, share: f32| {
            let start = joined.sparse.len();
            let mut square = 0.0;
            for (key, weight) in keys {
                let at = self.dimensions.get(&key);
                let weight = weight * at.map_or(self.rarest, |at| self.rarity[*at as usize]);
                square += weight * weight;
                joined.sparse.extend(at.map(|at| (*at, weight)));
            }
            let scale = if square > 0.0 { (share / square).sqrt() } else { 0.0 };
            joined.sparse[start..].iter_mut().for_each(|(_, weight)| *weight *= scale);
        };
        part(&mut keys(features).take(terms), of_words);
        part(&mut keys(features).skip(terms), of_grams);
        joined.sparse.sort_unstable_by_key(|(at, _)| *at);
        if self.vectors == Some((features.engine, features.vector.len())) && of_vectors > 0.0 {
            let mut vector = vector(features);
            vector.iter_mut().zip(&self.centre).for_each(|(part, mean)| *part -= mean);
            normalize(&mut vector);
            vector.iter_mut().for_each(|part| *part *= of_vectors.sqrt());
            joined.dense = vector;
        }
        joined
    }
}

/// The vector of an issue, normalized to length 1 if it comes from an engine.
fn vector(features: &Features) -> Vec<f32> {
    let mut vector: Vec<f32> = features.vector.iter().map(|byte| f32::from(*byte) * features.scale).collect();
    if features.engine {
        normalize(&mut vector);
    }
    vector
}

fn normalize(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|part| *part /= length);
    }
}

/// The keys of an issue's terms, then of its character n-grams, each with its weight in the issue.
fn keys(features: &Features) -> impl Iterator<Item = (u64, f32)> {
    let term = |(hash, count): &(u32, u8)| {
        let of_pair = if hash & PAIR == PAIR { 0.5 } else { 1.0 };
        (u64::from(*hash), of_pair * (1.0 + f32::from(*count).ln()))
    };
    let gram = |hash: &u32| (u64::from(*hash) | 1 << 32, 1.0);
    features.terms.iter().map(term).chain(features.grams.iter().map(gram))
}
