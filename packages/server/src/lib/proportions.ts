// Shares of people and how sure they are: intervals that contain the true value in 95 of 100 cases. Pure.
//
// Wilson: E. B. Wilson, “Probable inference, the law of succession, and statistical inference”, JASA 22 (1927); method
// 3 of R. G. Newcombe, “Two-sided confidence intervals for the single proportion”, Statistics in Medicine 17 (1998).
// Newcombe: method 10 of his “Interval estimation for the difference between independent proportions”, same volume.
// Both stay within their limits and are right for few people and shares near 0 or 1, where the usual ± formula is not.

/** People, and how many of them did it. */
export type Proportion = { count: number; total: number };

/** Bounds of a share or of a difference of shares, as numbers between -1 and 1. */
export type Interval = { low: number; high: number };

/** Quantiles of the normal distribution: 95 % of it is within ±z, and 80 % is below `zPower`. */
const z = 1.959_963_984_540_054;
const zPower = 0.841_621_233_572_914;

export const shareOf = ({ count, total }: Proportion): number => (total === 0 ? 0 : count / total);

/** The interval of a share. Without people nothing is known: 0 to 1. */
export function wilson({ count, total }: Proportion): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const share = count / total;
  const square = z * z;
  const middle = share + square / (2 * total);
  const width = z * Math.sqrt((share * (1 - share) + square / (4 * total)) / total);
  const scale = 1 + square / total;
  // The bounds are 0 and 1 exactly where nobody or everybody did it; rounding would leave a trace.
  return {
    low: count === 0 ? 0 : (middle - width) / scale,
    high: count === total ? 1 : (middle + width) / scale,
  };
}

/** The interval of the difference `a - b` of two shares of different people. */
export function newcombe(a: Proportion, b: Proportion): Interval {
  const [first, second] = [shareOf(a), shareOf(b)];
  const [ofA, ofB] = [wilson(a), wilson(b)];
  const difference = first - second;
  return {
    low: Math.max(-1, difference - Math.hypot(first - ofA.low, ofB.high - second)),
    high: Math.min(1, difference + Math.hypot(ofA.high - first, second - ofB.low)),
  };
}

/** A difference is shown when its interval does not contain 0. */
export const isShown = ({ low, high }: Interval): boolean => low > 0 || high < 0;

/**
 * How many more people both groups need together, if the present shares are the true ones and the groups grow as they
 * have so far, so that the difference is shown in 80 of 100 such experiments. Null when it cannot be said: a group has
 * nobody, or the shares are equal.
 */
export function peopleNeeded(a: Proportion, b: Proportion): number | null {
  const difference = shareOf(a) - shareOf(b);
  if (a.total === 0 || b.total === 0 || difference === 0) return null;
  const variance = ({ count, total }: Proportion) => (count / total) * (1 - count / total);
  const ratio = b.total / a.total;
  const needed = ((z + zPower) / difference) ** 2 * (variance(a) + variance(b) / ratio);
  return Math.max(0, Math.ceil(needed * (1 + ratio) - a.total - b.total));
}
