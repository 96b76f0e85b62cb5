// The picture of one failure: 30 s before it to 60 s after it, second by second.
import type { FaultRecord } from "../../auditor/evidence.ts";
import { bucketRate, bucketTimings, type Figures } from "./figures.ts";
import { formatMs } from "./markdown.ts";
import { drawFailures, drawLatency, drawTimeTicks, headingHeight, shareDecades } from "./panels.ts";
import type { Evidence } from "./read.ts";
import { drawSvg, laneHeight, listTimeTicks, type Panel, pictureWidth, rect, text, xOf } from "./svg.ts";

const [left, right] = [70, pictureWidth - 24];
const [beforeMs, afterMs] = [30_000, 60_000];
/** Failures at the same time that are named. */
const maxOthers = 6;

export function drawCloseUp({ run, faults }: Evidence, figures: Figures, shown: FaultRecord): string {
  const [from, to] = [shown.startedAt - beforeMs, shown.endedAt + afterMs];
  // A failure of many minutes has a point for more than a second.
  const ms = Math.max(1, Math.ceil((to - from) / 240_000)) * 1_000;
  const others = faults.filter((one) => !one.problem && one !== shown && one.startedAt < to && one.endedAt > from);
  const named = [shown, ...others.slice(0, maxOthers)];
  const top = 38;
  const lanes: Panel = { left, right, top, bottom: top + named.length * laneHeight, from, to };
  const below = (start: number, height: number): Panel => ({ ...lanes, top: start, bottom: start + height });
  const accepted = below(lanes.bottom + headingHeight.withNames, 110);
  const arrived = below(accepted.bottom + headingHeight.withNames, 110);
  const failed = below(arrived.bottom + headingHeight.alone, 50);
  const requests = bucketTimings(figures.accepted, from, to, ms);
  const messages = bucketTimings(figures.arrived, from, to, ms);
  const decades = shareDecades([requests, messages]);
  const shade = (panel: Panel) => drawSpan(panel, shown, "main");
  const stretch = ms === 1_000 ? "second" : `${ms / 1_000} s`;
  const ticks = listTimeTicks(-beforeMs, to - shown.startedAt, 8).map((at) => ({
    at: shown.startedAt + at,
    label: `${at > 0 ? "+" : at < 0 ? "−" : ""}${Math.abs(at) / 1_000} s`,
  }));
  const title = `${shown.fault} (${shown.target}) for ${formatMs(shown.endedAt - shown.startedAt)}`;
  const left0 = run.startedAt > from ? [drawOutside(accepted, failed, from, run.startedAt, "load not begun")] : [];
  const right0 = run.loadEndedAt < to ? [drawOutside(accepted, failed, run.loadEndedAt, to, "load ended")] : [];
  return drawSvg(pictureWidth, failed.bottom + 44, title, [
    text(left, 22, title, `font-size="15" font-weight="600"`),
    ...named.flatMap((one, index) => drawLane(lanes, one, index)),
    ...[...left0, ...right0].flat(),
    shade(accepted),
    ...drawLatency(accepted, {
      ...{ title: `From a request to its 201, by the ${stretch} of the request`, high: "slowest", ms, dots: true },
      buckets: requests,
      decades,
    }),
    shade(arrived),
    ...drawLatency(arrived, {
      ...{ title: "From a request to the message in a live inbox", high: "slowest", ms, dots: true },
      buckets: messages,
      decades,
    }),
    shade(failed),
    ...drawFailures(failed, "Failed attempts per second", bucketRate(figures.failedAt, from, to, ms), ms),
    ...drawTimeTicks(failed, ticks),
    text(
      (left + right) / 2,
      failed.bottom + 36,
      `seconds since ${shown.fault} began`,
      `class="dim" text-anchor="middle"`,
    ),
  ]);
}

const drawSpan = (panel: Panel, { startedAt, endedAt }: FaultRecord, kind: string): string => {
  const x = xOf(panel, startedAt);
  return rect(x, panel.top, Math.max(1.5, xOf(panel, endedAt) - x), panel.bottom - panel.top, kind);
};

/** The name is to the right of its bar, or to the left where there is no room. */
function drawLane(lanes: Panel, record: FaultRecord, index: number): string[] {
  const top = lanes.top + index * laneHeight;
  const lane: Panel = { ...lanes, top: top + 4, bottom: top + laneHeight - 4 };
  const name = index === 0 ? record.fault : `also: ${record.fault}`;
  const [start, end] = [xOf(lanes, record.startedAt), xOf(lanes, record.endedAt)];
  const needed = name.length * 7 + 8;
  const [x, anchor] =
    end + needed <= right ? [end + 6, "start"] : start - needed >= left ? [start - 6, "end"] : [start + 6, "start"];
  const more = `text-anchor="${anchor}"${index === 0 ? ` font-weight="600"` : ` class="dim"`}`;
  return [drawSpan(lane, record, index === 0 ? "bar" : "bar2"), text(x, top + 14, name, more)];
}

/** The part of the picture in which there was no load. */
function drawOutside(first: Panel, last: Panel, from: number, to: number, name: string): string[] {
  const [x, end] = [xOf(first, from), xOf(first, to)];
  const isWide = end - x > name.length * 7;
  const label = text((x + end) / 2, first.top + 14, name, `class="dim" text-anchor="middle"`);
  return [rect(x, first.top, end - x, last.bottom - first.top, "outside"), ...(isWide ? [label] : [])];
}
