// Bars over time, drawn by hand. Failures are hatched, so that the picture can be read without colour; screen readers
// get a table.
import { useId } from "react";
import { Hidden } from "../../kit/layout/layout.tsx";
import css from "./statistics.module.css";
import { words } from "./words.ts";

export type Bar = {
  start: string /** From the bottom up. */;
  parts: readonly number[] /** A line across the bar. */;
  mark?: number;
};

type BarsProps = {
  label: string;
  bars: readonly Bar[];
  /** Names of the parts, in their order. The part named in `hatched` is drawn so. */
  parts: readonly string[];
  hatched?: string;
  faint?: string;
  mark?: string;
  formatTime: (start: string) => string;
  formatValue: (value: number) => string;
};

const height = 132;
/** So that one failure among thousands is seen. */
const minHeight = 3;

export function Bars({ label, bars, parts, hatched, faint, mark, formatTime, formatValue }: BarsProps) {
  const hatch = useId();
  const totals = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part, 0));
  const most = niceMost(Math.max(...totals, ...bars.map((bar) => bar.mark ?? 0), 0));
  const width = 100 / bars.length;
  const scale = (value: number) => (value === 0 ? 0 : Math.max(minHeight, (value / most) * height));
  return (
    <figure className={css.figure} aria-label={label}>
      <figcaption className={css.legend} aria-hidden="true">
        <strong>{label}</strong>
        {[...parts].reverse().map((name) => (
          <span key={name}>
            <i data-look={name === hatched ? "hatched" : name === faint ? "faint" : "plain"} />
            {name}
          </span>
        ))}
        {mark && (
          <span>
            <i data-look="mark" />
            {mark}
          </span>
        )}
      </figcaption>
      <div className={css.plot} aria-hidden="true">
        <div className={css.axis}>
          <span>{formatValue(most)}</span>
          <span>{formatValue(most / 2)}</span>
          <span>{formatValue(0)}</span>
        </div>
        <svg className={css.chart} height={height} aria-hidden="true" focusable="false">
          <defs>
            <pattern id={hatch} patternUnits="userSpaceOnUse" width="5" height="5" patternTransform="rotate(45)">
              <rect width="5" height="5" className={css.hatchGround} />
              <rect width="2.5" height="5" className={css.hatchLine} />
            </pattern>
          </defs>
          {[0, 0.5, 1].map((share) => (
            <line
              key={share}
              x1="0"
              x2="100%"
              y1={share * (height - 1) + 0.5}
              y2={share * (height - 1) + 0.5}
              className={css.grid}
            />
          ))}
          {bars.map((bar, index) => {
            let top = height;
            return (
              <g key={bar.start}>
                <title>{titleOf(bar, parts, mark, formatTime, formatValue)}</title>
                <rect x={`${index * width}%`} width={`${width}%`} height={height} className={css.room} />
                {bar.parts.map((part, place) => {
                  const own = scale(part);
                  top -= own;
                  const isHatched = parts[place] === hatched;
                  return (
                    own > 0 && (
                      <rect
                        key={parts[place]}
                        x={`${(index + 0.12) * width}%`}
                        width={`${width * 0.76}%`}
                        y={Math.max(0, top)}
                        height={own}
                        className={css.bar}
                        data-look={parts[place] === faint ? "faint" : undefined}
                        fill={isHatched ? `url(#${hatch})` : undefined}
                      />
                    )
                  );
                })}
                {bar.mark !== undefined && (
                  <rect
                    x={`${(index + 0.12) * width}%`}
                    width={`${width * 0.76}%`}
                    y={Math.max(0, height - scale(bar.mark) - 1)}
                    height="2"
                    className={css.mark}
                  />
                )}
              </g>
            );
          })}
        </svg>
        <div className={css.times}>
          {timesOf(bars).map(({ start }) => (
            <span key={start}>{formatTime(start)}</span>
          ))}
        </div>
      </div>
      <Hidden>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">{words.charts.start}</th>
              {parts.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
              {mark && <th scope="col">{mark}</th>}
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.start}>
                <th scope="row">{formatTime(bar.start)}</th>
                {bar.parts.map((part, place) => (
                  <td key={parts[place]}>{formatValue(part)}</td>
                ))}
                {mark && <td>{bar.mark === undefined ? "" : formatValue(bar.mark)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </Hidden>
    </figure>
  );
}

/** The first, the middle and the last. */
const timesOf = (bars: readonly Bar[]): readonly Bar[] =>
  bars.length < 3 ? bars : [bars[0]!, bars[Math.floor((bars.length - 1) / 2)]!, bars.at(-1)!];

/** The next of 1, 2, 5 times a power of ten; even, so that its half is a whole number too. */
function niceMost(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}

function titleOf(
  bar: Bar,
  parts: readonly string[],
  mark: string | undefined,
  formatTime: (start: string) => string,
  formatValue: (value: number) => string,
): string {
  const lines = bar.parts.map((part, place) => `${parts[place]}: ${formatValue(part)}`);
  if (mark && bar.mark !== undefined) lines.push(`${mark}: ${formatValue(bar.mark)}`);
  return [formatTime(bar.start), ...lines].join("\n");
}
