// Parts of the pictures: colours, axes, lines and bars as SVG. Each picture has its own background, and follows the
// colour scheme of the reader's system, so that it is readable on a page in either. Pictures are narrow and their texts
// large, so that a phone, which shows them at half their size, still shows the texts.
import { cleanText } from "./markdown.ts";

const escapeXml = (text: string): string =>
  cleanText(text, 120)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

export const pictureWidth = 600;
/** The height of the lane of a failure. */
export const laneHeight = 19;

/** Whole pixels where they suffice, and one decimal else. */
const px = (value: number): string => String(Math.round(value * 10) / 10);

const style = [
  ".bg{fill:#fff;stroke:#d1d5db}",
  "text{fill:#374151}",
  ".dim{fill:#6b7280}.grid{stroke:#e5e7eb;fill:none}.frame{stroke:#9ca3af;fill:none}",
  ".band{fill:#f59e0b;fill-opacity:.13}.main{fill:#f59e0b;fill-opacity:.24}.bar{fill:#d97706}.bar2{fill:#9ca3af}",
  ".low{stroke:#14b8a6;fill:none}.high{stroke:#1d4ed8;fill:none}.lowt{fill:#0f766e}.hight{fill:#1d4ed8}",
  ".dot{fill:#1d4ed8}.bad{fill:#dc2626}.outside{fill:#9ca3af;fill-opacity:.15}",
  "@media (prefers-color-scheme:dark){",
  ".bg{fill:#161b22;stroke:#3d444d}text{fill:#d1d7e0}.dim{fill:#9198a1}",
  ".grid{stroke:#2b323b}.frame{stroke:#656c76}",
  ".band{fill:#f0a93b;fill-opacity:.16}.main{fill:#f0a93b;fill-opacity:.3}.bar{fill:#e3a13a}.bar2{fill:#656c76}",
  ".low{stroke:#2ba995}.high{stroke:#79aaff}.lowt{fill:#3fc7b1}.hight{fill:#79aaff}.dot{fill:#79aaff}.bad{fill:#ff6b63}",
  "}",
].join("");

export const text = (x: number, y: number, content: string, more = ""): string =>
  `<text x="${px(x)}" y="${px(y)}"${more && ` ${more}`}>${escapeXml(content)}</text>`;

export const rect = (x: number, y: number, width: number, height: number, kind: string): string =>
  `<rect class="${kind}" x="${px(x)}" y="${px(y)}" width="${px(Math.max(0, width))}" height="${px(height)}"/>`;

/** Many boxes as one shape, which takes a third of the space. */
export function drawBoxes(boxes: { x: number; y: number; width: number; height: number }[], kind: string): string {
  const shape = boxes.map(({ x, y, width, height }) => `M${px(x)} ${px(y)}h${px(width)}v${px(height)}h-${px(width)}z`);
  return shape.length === 0 ? "" : `<path class="${kind}" d="${shape.join("")}"/>`;
}

/** The picture with a title that screen readers read. */
export const drawSvg = (width: number, height: number, title: string, parts: string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif" font-size="13" role="img">`,
    `<title>${escapeXml(title)}</title><style>${style}</style>`,
    `<rect class="bg" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");

/** Where a panel is, and which time it shows. */
export type Panel = { left: number; right: number; top: number; bottom: number; from: number; to: number };

export const xOf = ({ left, right, from, to }: Panel, at: number): number =>
  left + ((Math.min(Math.max(at, from), to) - from) / (to - from)) * (right - left);

/** Decades: the one below the least value, and the one above the largest. */
export type Decades = [low: number, high: number];

export function findDecades(values: number[]): Decades {
  const known = values.filter((value) => Number.isFinite(value)).map((value) => Math.max(1, value));
  const low = Math.floor(Math.log10(known.reduce((a, b) => Math.min(a, b), 10)));
  return [low, Math.max(low + 2, Math.ceil(Math.log10(known.reduce((a, b) => Math.max(a, b), 1_000))))];
}

/** A logarithmic scale in ms. */
export type LogScale = { y(ms: number): number; ticks: number[] };

export function scaleLog({ top, bottom }: Panel, [low, high]: Decades): LogScale {
  const y = (ms: number) => bottom - ((Math.log10(Math.max(10 ** low, ms)) - low) / (high - low)) * (bottom - top);
  return { y, ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)) };
}

export const formatTick = (ms: number): string => (ms >= 1_000 ? `${(ms / 1_000).toLocaleString("en")} s` : `${ms} ms`);

/** A curve with a gap wherever nothing was measured; a value between two gaps is a dot. */
export function drawCurve(points: { x: number; y: number }[], kind: string, width: number): string {
  let path = "";
  let isOpen = false;
  points.forEach(({ x, y }, index) => {
    if (!Number.isFinite(y)) {
      isOpen = false;
      return;
    }
    const isAlone = !isOpen && !Number.isFinite(points[index + 1]?.y ?? Number.NaN);
    path += `${isOpen ? "L" : "M"}${px(x)} ${px(y)}${isAlone ? "h0" : ""}`;
    isOpen = true;
  });
  const shape = `stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"`;
  return path === "" ? "" : `<path class="${kind}" d="${path}" ${shape}/>`;
}

/** A round number at or above the value, for the upper end of an axis. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * size).find((step) => step >= value) ?? value;
}

/** Round times for the axis, in ms since its zero, about `count` of them. */
export function listTimeTicks(from: number, to: number, count = 10): number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((seconds) => seconds * 1_000);
  const step = steps.find((one) => (to - from) / one <= count) ?? 7_200_000;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, index) => first + index * step);
}
