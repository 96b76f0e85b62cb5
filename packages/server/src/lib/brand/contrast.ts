// Contrast of two colours, as the Web Content Accessibility Guidelines define it: from 1 to 21.

/** What the guidelines ask for text of usual size. */
export const minContrast = 4.5;

/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Reads `#rgb` or `#rrggbb`. */
function channelsOf(hex: string): Rgb {
  const digits = hex.slice(1);
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16));
  return [red, green, blue];
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

export function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

export const contrast = (one: string, other: string): number => contrastOf(channelsOf(one), channelsOf(other));

/** White or black, whichever is easier to read on the colour. One of them always has a contrast of 4.5. */
export const readableOn = (background: string): string =>
  contrast("#ffffff", background) >= contrast("#000000", background) ? "#ffffff" : "#000000";
