// A screenshot with at most 256 colours, which is a third of its size: pictures of pages have few colours, and many
// shades of them at the edges of letters.
import { crc32, deflateSync, inflateSync } from "node:zlib";

type Pixels = { width: number; height: number /** Bytes of red, green and blue. */; rgb: Buffer };

/** For what Chromium writes: 8 bits, without interlacing, with or without alpha. */
function readPng(png: Buffer): Pixels {
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === "IDAT") data.push(body);
    if (type !== "IHDR") continue;
    [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
    channels = body[9] === 6 ? 4 : 3;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rgb = Buffer.alloc(width * height * 3);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = Buffer.from(raw.subarray(start + 1, start + 1 + stride));
    for (let x = 0; x < stride; x++) {
      const [left, up, corner] = [row[x - channels] ?? 0, above[x]!, above[x - channels] ?? 0];
      row[x] = row[x]! + predict(raw[start]!, x < channels ? 0 : left, up, x < channels ? 0 : corner);
    }
    for (let x = 0; x < width; x++) row.copy(rgb, (y * width + x) * 3, x * channels, x * channels + 3);
    above = row;
  }
  return { width, height, rgb };
}

/** The five filters of the format. */
function predict(filter: number, left: number, up: number, corner: number): number {
  if (filter < 2) return filter === 0 ? 0 : left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The most frequent colours. */
function choosePalette({ rgb }: Pixels): number[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const color = rgb.readUIntBE(at, 3);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const seen = new Set<number>();
  const sorted = [...counts].sort((one, other) => other[1] - one[1]).map(([color]) => color);
  // The first colours are kept exactly; of the others, one of each shade.
  const chosen = sorted.filter((color, index) => {
    const shade = color & 0xf0f0f0;
    if (index >= 48 && seen.has(shade)) return false;
    seen.add(shade);
    return true;
  });
  return chosen.slice(0, 256);
}

function nearestOf(palette: number[]): (color: number) => number {
  const known = new Map(palette.map((color, index) => [color, index]));
  const distance = (one: number, other: number) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
  return (color) => {
    const found = known.get(color);
    if (found !== undefined) return found;
    const best = palette.reduce(
      (nearest, one, index) => (distance(one, color) < distance(palette[nearest]!, color) ? index : nearest),
      0,
    );
    known.set(color, best);
    return best;
  };
}

export function shrinkPng(png: Buffer): Buffer {
  const pixels = readPng(png);
  const { width, height, rgb } = pixels;
  const palette = choosePalette(pixels);
  const nearest = nearestOf(palette);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest(rgb.readUIntBE((y * width + x) * 3, 3));
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colors = Buffer.alloc(palette.length * 3);
  for (const [index, color] of palette.entries()) colors.writeUIntBE(color, index * 3, 3);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", head),
    chunk("PLTE", colors),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
