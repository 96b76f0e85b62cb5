// What both kinds of pictures consist of: a panel with latencies on a logarithmic scale, and one with failed requests.
import type { Bucket } from "./figures.ts";
import {
  type Decades,
  drawBoxes,
  drawCurve,
  findDecades,
  formatTick,
  type Panel,
  roundUp,
  scaleLog,
  text,
  xOf,
} from "./svg.ts";

type Latency = {
  title: string;
  buckets: Bucket[];
  high: "p99" | "slowest";
  ms: number;
  decades: Decades;
  dots?: boolean;
};

/** The same scale for panels that are compared. */
export const shareDecades = (buckets: Bucket[][]): Decades =>
  findDecades(buckets.flat().flatMap(({ p50, slowest }) => [p50, slowest]));

/** The median and an upper curve, with the median of a stretch of time in its middle. */
export function drawLatency(panel: Panel, { title, buckets, high, ms, decades, dots }: Latency): string[] {
  const scale = scaleLog(panel, decades);
  const grid = scale.ticks.flatMap((tick) => [
    `<path class="grid" d="M${panel.left} ${scale.y(tick).toFixed(1)}H${panel.right}"/>`,
    text(panel.left - 8, scale.y(tick) + 4, formatTick(tick), `text-anchor="end"`),
  ]);
  const inside = buckets.filter(({ at }) => at + ms > panel.from && at < panel.to);
  const curve = (read: (one: Bucket) => number) =>
    inside.map((one) => ({ x: xOf(panel, one.at + ms / 2), y: scale.y(read(one)) }));
  const highs = curve((one) => one[high]);
  const dotted = dots
    ? highs
        .filter(({ y }) => Number.isFinite(y))
        .map(({ x, y }) => `<circle class="dot" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="1.9"/>`)
    : [];
  return [
    ...drawHeading(panel, `${title} (log scale)`, [
      ["median", "lowt"],
      [high === "p99" ? "p99: 99 % were faster" : "slowest", "hight"],
    ]),
    ...grid,
    drawCurve(
      curve((one) => one.p50),
      "low",
      1.6,
    ),
    drawCurve(highs, "high", 1.4),
    ...dotted,
    drawFrame(panel),
  ];
}

/** Bars of failed requests per second; nothing is drawn where none failed. */
export function drawFailures(panel: Panel, title: string, rates: { at: number; rate: number }[], ms: number): string[] {
  const top = roundUp(rates.reduce((most, { rate }) => Math.max(most, rate), 0));
  const height = panel.bottom - panel.top;
  const bars = rates
    .filter(({ rate, at }) => rate > 0 && at + ms > panel.from && at < panel.to)
    .map(({ at, rate }) => {
      const [x, end] = [xOf(panel, at), xOf(panel, at + ms)];
      const tall = (rate / top) * height;
      return { x, y: panel.bottom - tall, width: Math.max(1, end - x - 0.3), height: tall };
    });
  const grid = [0, top / 2, top].flatMap((tick) => {
    const y = panel.bottom - (tick / top) * height;
    return [
      `<path class="grid" d="M${panel.left} ${y.toFixed(1)}H${panel.right}"/>`,
      text(panel.left - 8, y + 4, `${tick.toLocaleString("en")}/s`, `text-anchor="end"`),
    ];
  });
  const none = rates.some(({ rate }) => rate > 0)
    ? []
    : [
        text(
          (panel.left + panel.right) / 2,
          (panel.top + panel.bottom) / 2 + 4,
          "none",
          `class="dim" text-anchor="middle"`,
        ),
      ];
  return [...drawHeading(panel, title, []), ...grid, drawBoxes(bars, "bad"), ...none, drawFrame(panel)];
}

/** The space above a panel for its title and the names of its curves. */
export const headingHeight = { withNames: 58, alone: 40 };

/** The title of a panel, and below it the names of its curves in their colours. */
function drawHeading({ left, top }: Panel, title: string, names: [name: string, kind: string][]): string[] {
  const shown = names.map(([name, kind], index) =>
    text(left + index * 90, top - 8, `— ${name}`, `class="${kind}" font-weight="600"`),
  );
  return [text(left, top - (names.length > 0 ? 26 : 8), title, `font-weight="600"`), ...shown];
}

const drawFrame = ({ left, right, top, bottom }: Panel): string =>
  `<path class="frame" d="M${left} ${top}V${bottom}H${right}"/>`;

/** Ticks below a panel: times in ms after its zero, with the text of each. */
export const drawTimeTicks = (panel: Panel, ticks: { at: number; label: string }[]): string[] =>
  ticks.map(({ at, label }) => text(xOf(panel, at), panel.bottom + 17, label, `text-anchor="middle"`));
