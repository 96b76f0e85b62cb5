// A small line chart as SVG.
import type { Point } from "./trend.ts";

export type Line = { name: string; points: Point[] };

const [width, height] = [760, 240];
const margin = { left: 64, right: 28, top: 34, bottom: 34 };
const colors = ["#2563eb", "#d97706", "#059669", "#dc2626"];

/** A round number at or above the value, for the upper end of an axis. */
function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * size).find((step) => step >= value) ?? value;
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const text = (x: number, y: number, content: string, more = ""): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escapeText(content)}</text>`;

/** In minutes. `warmUp`: the begin that is not judged, shaded. */
export type Span = { end: number; warmUp: number };

export function drawPlot(title: string, unit: string, lines: Line[], { end, warmUp }: Span): string {
  const known = lines.map(({ name, points }) => ({ name, points: points.filter((one) => Number.isFinite(one.value)) }));
  const all = known.flatMap(({ points }) => points);
  const top = roundUp(Math.max(0, ...all.map(({ value }) => value)));
  const x = (minute: number) => margin.left + (minute / end) * (width - margin.left - margin.right);
  const y = (value: number) => height - margin.bottom - (value / top) * (height - margin.top - margin.bottom);
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => [
    `<path d="M${margin.left} ${y(part * top).toFixed(1)}H${width - margin.right}" stroke="#e5e7eb"/>`,
    text(margin.left - 8, y(part * top) + 4, formatTick(part * top), `text-anchor="end"`),
    text(x(part * end), height - 12, `${formatTick(part * end)}${part === 1 ? " min" : ""}`, `text-anchor="middle"`),
  ]);
  const curves = known.map(({ points }, index) => {
    const path = points.map(
      ({ minute, value }, at) => `${at ? "L" : "M"}${x(minute).toFixed(1)} ${y(value).toFixed(1)}`,
    );
    return `<path d="${path.join("")}" fill="none" stroke="${colors[index % colors.length]}" stroke-width="1.8"/>`;
  });
  const legend = known.map(({ name }, index) =>
    text(
      width - margin.right - 130 * (known.length - index - 1),
      20,
      name,
      `text-anchor="end" fill="${colors[index % colors.length]}"`,
    ),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="system-ui, sans-serif" font-size="12" fill="#374151">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<rect x="${margin.left}" y="${margin.top}" width="${(x(warmUp) - margin.left).toFixed(1)}" height="${height - margin.top - margin.bottom}" fill="#f3f4f6"/>`,
    text(margin.left, 20, unit ? `${title} (${unit})` : title, `font-size="14" font-weight="600"`),
    ...grid,
    ...curves,
    ...(known.length > 1 ? legend : []),
    "</svg>\n",
  ].join("\n");
}

const formatTick = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value >= 10 || value === 0 ? 0 : 2 });
