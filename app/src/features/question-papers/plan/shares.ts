import type { Kind } from './kinds';

/** A type in a section, with its share of the marks; the shares of a paper add up to 1. */
export interface Share {
  section: number;
  kind: Kind;
  share: number;
}

/** The cost of objective and written types in one section, in squares of shares. */
const mixture = 0.03;

/** Returns the share of each type and its section. The types are in the order of a paper. */
export function sharesOf(
  types: readonly Kind[],
  sections: number,
  hardness: string,
  grade: number,
): readonly Share[] {
  const weights = weightsOf(types, hardness, grade);
  const total = sum(weights);
  const share = (at: number) => (weights[at] ?? 0) / total;
  return types.length < sections ? split(types, sections, share) : grouped(types, sections, share);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((before, next) => before + next, 0);
}

function weightsOf(types: readonly Kind[], hardness: string, grade: number): readonly number[] {
  const factor = ({ easy, hard }: Kind) => (hardness === 'easy' ? easy : hardness === 'hard' ? hard : 1);
  const weights = types.map((kind) => kind.weight * factor(kind));
  const isLong = ({ id }: Kind) => id === 'long';
  const isObjective = ({ objective }: Kind) => objective;
  if (grade <= 5) return shifted(types, weights, 0.5, isLong, isObjective);
  if (grade >= 11) {
    return shifted(types, weights, 0.25, isObjective, ({ id }) => id === 'long' || id === 'numerical');
  }
  return weights;
}

/**
 * Moves a part of the weight of some types to others, in
 * proportion. Nothing moves if one side is missing.
 */
function shifted(
  types: readonly Kind[],
  weights: readonly number[],
  part: number,
  from: (kind: Kind) => boolean,
  to: (kind: Kind) => boolean,
): readonly number[] {
  const of = (wanted: (kind: Kind) => boolean) =>
    sum(weights.filter((_, at) => wanted(types[at] ?? neverAsked)));
  const given = of(from) * part;
  const taken = of(to);
  if (given === 0 || taken === 0) return weights;
  return weights.map((weight, at) => {
    const kind = types[at] ?? neverAsked;
    if (from(kind)) return weight * (1 - part);
    return to(kind) ? weight + (given * weight) / taken : weight;
  });
}

const neverAsked: Kind = {
  id: '',
  objective: false,
  marks: [],
  weight: 0,
  easy: 1,
  hard: 1,
  seconds: () => 0,
};

/** There are fewer types than sections, so the heaviest is split again and again. */
function split(types: readonly Kind[], sections: number, share: (at: number) => number): readonly Share[] {
  const pieces = types.map(() => 1);
  const piece = (at: number) => share(at) / (pieces[at] ?? 1);
  for (let more = types.length; more < sections; more += 1) {
    const heaviest = types.reduce((best, _, at) => (piece(at) > piece(best) ? at : best), 0);
    pieces[heaviest] = (pieces[heaviest] ?? 0) + 1;
  }
  return types
    .flatMap((kind, at) => Array.from({ length: pieces[at] ?? 0 }, () => ({ kind, share: piece(at) })))
    .map((part, section) => ({ ...part, section }));
}

/**
 * There are as many types as sections or more, so neighbours share a section as evenly as possible.
 */
function grouped(types: readonly Kind[], sections: number, share: (at: number) => number): readonly Share[] {
  let best: { cost: number; cuts: number } | null = null;
  // A bit is a cut behind its type. There are at most 7 places, so at most 128 ways.
  for (let cuts = 0; cuts < 1 << (types.length - 1); cuts += 1) {
    if (ones(cuts) + 1 !== sections) continue;
    const cost = unevenness(types, sections, cuts, share);
    if (
      best === null ||
      cost < best.cost - 1e-12 ||
      (cost < best.cost + 1e-12 && trailingZeros(cuts) < trailingZeros(best.cuts))
    ) {
      best = { cost, cuts };
    }
  }
  const cuts = best?.cuts ?? 0;
  return types.map((kind, at) => ({ section: ones(cuts & ((1 << at) - 1)), kind, share: share(at) }));
}

function unevenness(
  types: readonly Kind[],
  sections: number,
  cuts: number,
  share: (at: number) => number,
): number {
  const even = 1 / sections;
  let cost = 0;
  let together = 0;
  let start = 0;
  types.forEach((kind, at) => {
    together += share(at);
    if (at + 1 < types.length && (cuts & (1 << at)) === 0) return;
    cost += (together - even) * (together - even);
    if (types[start]?.objective !== kind.objective) cost += mixture;
    together = 0;
    start = at + 1;
  });
  return cost;
}

function ones(bits: number): number {
  let count = 0;
  for (let left = bits; left > 0; left >>= 1) count += left & 1;
  return count;
}

function trailingZeros(bits: number): number {
  return bits === 0 ? 32 : 31 - Math.clz32(bits & -bits);
}
