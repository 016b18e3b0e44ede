import type { Share } from './shares';

/** The most questions of a paper. */
const mostQuestions = 60;

/** The best share of the allowed time. */
const fullUse = 0.85;

/** Questions of one type with equal marks. */
export interface Fit {
  count: number;
  each: number;
}

/**
 * Returns the best fit for every share, in their order. It has the preferred marks if they fit,
 * else as few changes as possible. Of equal fits it is the one that uses the time best. `seconds`
 * is the allowed time.
 */
export function fitTo(shares: readonly Share[], marks: number, seconds: number): readonly Fit[] {
  // Papers with objective types alone get whole sections of
  // 2 marks, of similar size, before they get too long.
  const even = shares.every(({ kind }) => kind.objective) && marks > mostQuestions;
  const mostSteps = shares.reduce((steps, { kind }) => steps + kind.marks.length - 1, 0);
  for (const bounded of even ? [true, false] : [false]) {
    for (let steps = 0; steps <= mostSteps; steps += 1) {
      const quick = best({ shares, marks, steps, bounded, slowest: false });
      if (!quick) continue;
      const slow = best({ shares, marks, steps, bounded, slowest: true });
      if (!slow || Math.abs(slow.cost - quick.cost) >= 1e-9) return ordered(shares, quick.fits);
      const fromFull = ({ fits }: Solution) => Math.abs(shareOfTime(shares, fits, seconds) - fullUse);
      return ordered(shares, (fromFull(slow) < fromFull(quick) ? slow : quick).fits);
    }
  }
  return [];
}

/** The time that a paper takes with a tenth more for reading, as a share of the allowed time. */
function shareOfTime(shares: readonly Share[], fits: readonly Fit[], seconds: number): number {
  const needed = fits.reduce(
    (before, { count, each }, at) => before + count * (shares[at]?.kind.seconds(each) ?? 0),
    0,
  );
  return (needed * 1.1) / seconds;
}

interface Search {
  shares: readonly Share[];
  marks: number;
  /** The changes from the preferred marks of a question, in total. */
  steps: number;
  /** Whether every part stays between half and one and a half times its share. */
  bounded: boolean;
  slowest: boolean;
}

interface Solution {
  cost: number;
  fits: readonly Fit[];
}

/** One way to reach a state, and how its last part was chosen. */
interface Way extends Fit {
  cost: number;
  seconds: number;
  before: Way | null;
  marks: number;
  questions: number;
  steps: number;
}

/**
 * Returns the cheapest fit. The number of questions only counts if the fit without it has too many.
 */
function best(search: Search): Solution | null {
  const found = solve(search, false);
  if (!found) return null;
  const questions = found.fits.reduce((before, { count }) => before + count, 0);
  return questions <= mostQuestions ? found : solve(search, true);
}

function solve(search: Search, counted: boolean): Solution | null {
  const start: Way = {
    cost: 0,
    seconds: 0,
    before: null,
    count: 0,
    each: 0,
    marks: 0,
    questions: 0,
    steps: 0,
  };
  let layer: (Way | undefined)[] = [start];
  for (const share of search.shares) {
    const next: (Way | undefined)[] = [];
    for (const way of layer) if (way) extend(search, share, way, counted, next);
    layer = next;
  }
  let end: Way | undefined;
  for (let questions = counted ? 1 : 0; questions <= (counted ? mostQuestions : 0); questions += 1) {
    const way = layer[placeOf(search, search.marks, questions, search.steps)];
    if (way && (!end || beats(search, way, end))) end = way;
  }
  return end ? { cost: end.cost, fits: fitsOf(end) } : null;
}

/** Adds every possible part after `way`. */
function extend(search: Search, share: Share, way: Way, counted: boolean, next: (Way | undefined)[]): void {
  const target = share.share * search.marks;
  const left = search.marks - way.marks;
  const allowed = share.kind.marks.slice(0, search.steps - way.steps + 1);
  allowed.forEach((each, step) => {
    const seconds = share.kind.seconds(each);
    const fitting = Math.floor(left / each);
    const most = counted ? Math.min(fitting, mostQuestions - way.questions) : fitting;
    for (let count = 1; count <= most; count += 1) {
      const sum = count * each;
      if (search.bounded && !(sum / target >= 0.5 && sum / target <= 1.5)) continue;
      const off = sum - target;
      const marks = way.marks + sum;
      const questions = counted ? way.questions + count : 0;
      const steps = way.steps + step;
      const cost = way.cost + (off * off) / target;
      const place = placeOf(search, marks, questions, steps);
      const spent = way.seconds + count * seconds;
      const old = next[place];
      if (!old || beats(search, { cost, seconds: spent }, old)) {
        next[place] = { cost, seconds: spent, before: way, count, each, marks, questions, steps };
      }
    }
  });
}

type Weighed = Pick<Way, 'cost' | 'seconds'>;

function beats({ slowest }: Search, one: Weighed, other: Weighed): boolean {
  if (Math.abs(one.cost - other.cost) > 1e-9) return one.cost < other.cost;
  return slowest ? one.seconds > other.seconds : one.seconds < other.seconds;
}

function placeOf(search: Search, marks: number, questions: number, steps: number): number {
  return (questions * (search.marks + 1) + marks) * (search.steps + 1) + steps;
}

function fitsOf(end: Way): Fit[] {
  const fits: Fit[] = [];
  for (let way = end; way.before; way = way.before) fits.push({ count: way.count, each: way.each });
  return fits.reverse();
}

/** Pieces of one type stand in the order of their marks, those with fewer first. */
function ordered(shares: readonly Share[], fits: readonly Fit[]): readonly Fit[] {
  const whole = fits.map((fit, at) => ({ ...fit, kind: shares[at]?.kind }));
  const kindsInOrder = new Set(shares.map(({ kind }) => kind));
  return [...kindsInOrder].flatMap((kind) =>
    whole
      .filter((fit) => fit.kind === kind)
      .sort((one, other) => one.each - other.each || one.count - other.count),
  );
}
