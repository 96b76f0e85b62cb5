// Whether a curve is flat: its slope after the warm-up, by least squares, against what is tolerated.

export type Point = { minute: number; value: number };

export type Trend = {
  first: number;
  last: number;
  max: number;
  slopePerHour: number;
  isFlat: boolean;
  verdict: string;
};

/** The first part of a run, in which caches fill and V8 compiles. */
export const warmUpShare = 0.2;

/** A slope over less time says little about an hour. */
const minJudgedMinutes = 8;

type Options = { unit: string; tolerancePerHour: number; format(value: number): string };

export function judgeTrend(points: Point[], { unit, tolerancePerHour, format }: Options): Trend {
  const end = points.at(-1)?.minute ?? 0;
  const judged = points.filter(({ minute, value }) => minute >= end * warmUpShare && Number.isFinite(value));
  const slopePerHour = 60 * slopeOf(judged);
  const change = Math.abs(slopePerHour / 60) * (end * (1 - warmUpShare));
  const noise = 2 * spreadAround(judged, slopePerHour / 60);
  const isTolerated = Math.abs(slopePerHour) <= tolerancePerHour;
  const isFlat = judged.length < 3 || isTolerated || change <= noise;
  const isShort = end * (1 - warmUpShare) < minJudgedMinutes;
  const direction = slopePerHour > 0 ? "grows" : "falls";
  const pace = `${format(Math.abs(slopePerHour))} ${unit}/h`.replace("  ", " ");
  const values = judged.map(({ value }) => value);
  const describe = (): string => {
    if (values.length === 0) return "not measured";
    if (isFlat) return isTolerated || values.length < 3 ? "flat" : "flat within its noise";
    return `${direction} by ${pace}${isShort ? ", in a run too short to judge" : ""}`;
  };
  return {
    first: values[0] ?? Number.NaN,
    last: values.at(-1) ?? Number.NaN,
    max: values.length > 0 ? Math.max(...values) : Number.NaN,
    slopePerHour,
    isFlat,
    verdict: describe(),
  };
}

/** The least value of each whole minute: the heap after a collection of garbage. */
export function floorByMinute(points: Point[]): Point[] {
  const groups = [...Map.groupBy(points, ({ minute }) => Math.floor(minute)).values()];
  const most = Math.max(...groups.map((own) => own.length));
  return groups
    .filter((own) => own.length > most / 2)
    .map((own) => ({
      minute: mean(own.map(({ minute }) => minute)),
      value: Math.min(...own.map(({ value }) => value)),
    }));
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function slopeOf(points: Point[]): number {
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ value }) => value))];
  const above = points.reduce((sum, point) => sum + (point.minute - x) * (point.value - y), 0);
  const below = points.reduce((sum, point) => sum + (point.minute - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
}

/** The standard deviation around the line. */
function spreadAround(points: Point[], slope: number): number {
  const [x, y] = [mean(points.map(({ minute }) => minute)), mean(points.map(({ value }) => value))];
  return Math.sqrt(mean(points.map(({ minute, value }) => (value - y - slope * (minute - x)) ** 2)));
}
