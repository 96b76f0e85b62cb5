// What the first bytes of a file say: type, width and height.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pngOf } from "@tidings/testkit/images";
import fc from "@tidings/testkit/properties";
import { isSvg, readImageHeader } from "../../../src/app/assets/image-header.ts";

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));

const jpegStart = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0];
const frame = [0xff, 0xc2, 0, 11, 8, 1, 0x2c, 2, 0x58, 3];

const cases: [name: string, file: Buffer, expected: unknown][] = [
  ["png", pngOf(3, 2), ["image/png", 3, 2]],
  ["gif", bytes("GIF89a", [0x2c, 1, 0x58, 2]), ["image/gif", 300, 600]],
  ["jpeg", bytes(jpegStart, frame), ["image/jpeg", 600, 300]],
  ["jpeg with fill bytes", bytes(jpegStart, [0xff, 0xff], frame), ["image/jpeg", 600, 300]],
  ["webp, lossy", bytes("RIFF    WEBPVP8     ", [0, 0, 0, 0x9d, 1, 0x2a, 88, 2, 44, 1]), ["image/webp", 600, 300]],
  ["webp, lossless", bytes("RIFF    WEBPVP8L    ", [0x2f, 0x57, 0xc2, 0x4a, 0]), ["image/webp", 600, 300]],
  ["webp, extended", bytes("RIFF    WEBPVP8X        ", [87, 2, 0, 43, 1, 0]), ["image/webp", 600, 300]],
  ["empty", bytes(), null],
  ["text", bytes("hello"), null],
  ["html that calls itself png", bytes("<html><img src=x.png>"), null],
  ["png cut off", pngOf().subarray(0, 18), null],
  ["jpeg cut off", bytes(jpegStart), null],
  ["jpeg without a marker", bytes(jpegStart, [0, 0, 0, 0]), null],
  ["webp with an unknown chunk", bytes("RIFF    WEBPALPH            "), null],
  ["gif without a width", bytes("GIF89a", [0, 0, 1, 0]), null],
  ["bitmap", bytes("BM", Array(60).fill(1)), null],
];

for (const [name, file, expected] of cases) {
  test(name, () => {
    const header = readImageHeader(file);
    assert.deepEqual(header && [header.contentType, header.width, header.height], expected);
  });
}

test("no bytes make it throw or loop", () => {
  const starts = ["\xff\xd8\xff", "GIF89a", "RIFF\0\0\0\0WEBPVP8X", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"];
  const file = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 200 }));
  fc.assert(
    fc.property(file, ([start, rest]) => {
      const header = readImageHeader(bytes(start, [...rest]));
      if (header) assert.ok(header.width > 0 && header.height > 0);
    }),
  );
});

for (const [name, text, expected] of [
  ["plain", "<svg xmlns='x'><script/></svg>", true],
  ["with a declaration", '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n<svg width="1">', true],
  ["html", "<p>no</p>", false],
  ["text", "about svg", false],
] as const) {
  test(`svg: ${name}`, () => assert.equal(isSvg(bytes(text)), expected));
}
