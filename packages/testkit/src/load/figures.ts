// Simple statistics.

export const median = (values: number[]): number => percentile(values, 0.5);

/** NaN of no values. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
