// Contrast of two colours, as the Web Content Accessibility Guidelines define it: from 1 to 21.

/** What the guidelines ask for text of usual size. */
export const minContrast = 4.5;

/** `#rgb` or `#rrggbb` as its three channels, from 0 to 1. */
function channelsOf(hex: string): [number, number, number] {
  const digits = hex.slice(1);
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? []);
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  return [red, green, blue];
}

const linear = (channel: number): number => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4);

function luminance(hex: string): number {
  const [red, green, blue] = channelsOf(hex);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** White or black, whichever is easier to read on the colour. One of them always has a contrast of 4.5. */
export const readableOn = (background: string): string =>
  contrast("#ffffff", background) >= contrast("#000000", background) ? "#ffffff" : "#000000";
