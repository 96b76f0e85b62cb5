// The picture of the whole run: a lane for each kind of failure, and below, in the same time, latencies and failed
// requests with the failures as shaded bands.
import type { FaultKind, FaultRecord } from "../../auditor/evidence.ts";
import { allKinds } from "./fault-kinds.ts";
import { bucketRate, bucketTimings, type Figures } from "./figures.ts";
import { drawFailures, drawLatency, drawTimeTicks, headingHeight, shareDecades } from "./panels.ts";
import type { Evidence } from "./read.ts";
import { drawBoxes, drawSvg, laneHeight, listTimeTicks, type Panel, pictureWidth, text, xOf } from "./svg.ts";

/** The names of the failures are at the left. */
const [left, right] = [166, pictureWidth - 24];
const top = 52;

/** Small enough for a picture of at most 60 kB. */
const maxBuckets = 360;

const bucketMsOf = (runMs: number): number =>
  [5_000, 10_000, 15_000, 30_000, 60_000].find((ms) => runMs / ms <= maxBuckets) ?? 120_000;

export function drawTimeline({ run, faults }: Evidence, figures: Figures): string {
  const [from, to] = [run.startedAt, run.loadEndedAt];
  const ms = bucketMsOf(to - from);
  const tried = faults.filter(({ problem }) => !problem);
  const known = new Set(tried.map(({ fault }) => fault));
  const kinds = [
    ...allKinds.filter((kind) => known.has(kind)),
    ...[...known].filter((kind) => !allKinds.includes(kind)),
  ];
  const lanes: Panel = { left, right, top, bottom: top + kinds.length * laneHeight, from, to };
  const below = (start: number, height: number): Panel => ({ ...lanes, top: start, bottom: start + height });
  const accepted = below(lanes.bottom + headingHeight.withNames, 140);
  const arrived = below(accepted.bottom + headingHeight.withNames, 140);
  const failed = below(arrived.bottom + headingHeight.alone, 80);
  const ticks = listTimeTicks(0, to - from, 8).map((at) => ({ at: from + at, label: formatClock(at) }));
  const bands = (panel: Panel) =>
    drawBoxes(
      tried.map((one) => boxOf(panel, one)),
      "band",
    );
  const requests = bucketTimings(figures.accepted, from, to, ms);
  const messages = bucketTimings(figures.arrived, from, to, ms);
  const decades = shareDecades([requests, messages]);
  const seconds = `${ms / 1_000} s`;
  return drawSvg(pictureWidth, failed.bottom + 44, "Latency and failed requests through the whole run", [
    text(left, 24, "Failures that were caused", `font-weight="600"`),
    text(left, 42, `All parts have the same time axis; a point below is ${seconds}.`, `class="dim"`),
    ...drawLanes(lanes, tried, kinds),
    bands(accepted),
    ...drawLatency(accepted, {
      ...{ title: "From the first attempt to the 201", high: "p99", ms },
      buckets: requests,
      decades,
    }),
    bands(arrived),
    ...drawLatency(arrived, {
      ...{ title: "From the first attempt to the live inbox", high: "p99", ms },
      buckets: messages,
      decades,
    }),
    bands(failed),
    ...drawFailures(failed, "Failed attempts per second", bucketRate(figures.failedAt, from, to, ms), ms),
    ...drawTimeTicks(failed, ticks),
    text(
      (left + right) / 2,
      failed.bottom + 36,
      "minutes:seconds since the start of the load",
      `class="dim" text-anchor="middle"`,
    ),
  ]);
}

/** Nothing shorter than a pixel and a half, which would not be seen. */
function boxOf(panel: Panel, { startedAt, endedAt }: FaultRecord) {
  const x = xOf(panel, startedAt);
  return { x, y: panel.top, width: Math.max(1.5, xOf(panel, endedAt) - x), height: panel.bottom - panel.top };
}

function drawLanes(lanes: Panel, tried: FaultRecord[], kinds: FaultKind[]): string[] {
  if (kinds.length === 0) return [text(left, lanes.top + 14, "none", `class="dim"`)];
  return kinds.flatMap((kind, index) => {
    const start = lanes.top + index * laneHeight;
    const lane: Panel = { ...lanes, top: start + 4, bottom: start + laneHeight - 4 };
    const own = tried.filter(({ fault }) => fault === kind);
    return [
      `<path class="grid" d="M${left} ${start + laneHeight / 2}H${right}"/>`,
      text(left - 8, start + 14, kind, `text-anchor="end"`),
      drawBoxes(
        own.map((one) => boxOf(lane, one)),
        "bar",
      ),
    ];
  });
}

function formatClock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
