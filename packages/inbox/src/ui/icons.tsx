// Icons as strokes of one weight, drawn on a grid of 20.
const paths = {
  bell: "M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4-1.75 5.25-1.75 5.25h12.5S14.5 11.5 14.5 7.5A4.5 4.5 0 0 0 10 3ZM8.4 15.75a1.75 1.75 0 0 0 3.2 0",
  check: "m4.5 10.5 3.5 3.5 7.5-8",
  checks: "m2.5 10.5 3.5 3.5 6.5-7.5M10.5 13.5l.5.5 6.5-7.5",
  dot: "M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6Z",
  archive: "M3.5 4.5h13v3h-13zM4.75 7.5v8h10.5v-8M8.25 10.5h3.5",
  inbox: "M3.5 11.5 5.5 4.5h9l2 7v4h-13zM3.5 11.5h4a2.5 2.5 0 0 0 5 0h4",
  clock: "M10 3.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM10 6.75V10l2.25 1.5",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  settings: "M3.5 6.5h7M14.5 6.5h2M3.5 13.5h2M9.5 13.5h7M12.5 4.75v3.5M7.5 11.75v3.5",
  back: "m11.5 5-5 5 5 5",
  down: "m6.5 8.5 3.5 3.5 3.5-3.5",
  close: "m5.5 5.5 9 9M14.5 5.5l-9 9",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.75 10h7.5L14.5 6M8.5 9v4M11.5 9v4",
  plus: "M10 5v10M5 10h10",
  up: "M10 15.5v-11M5.5 9 10 4.5 14.5 9",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={`icon icon-${name}`} viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
