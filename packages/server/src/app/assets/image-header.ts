// The type and the dimensions of an image, read from its first bytes. Names and declared types are not trusted: the
// uploader chooses them, and the response would repeat them to every browser.
import type { AssetContentType } from "@tidings/contract";

export type ImageHeader = { contentType: AssetContentType; width: number; height: number };

type Size = { width: number; height: number };
type Format = {
  contentType: AssetContentType;
  isFormat: (bytes: Buffer) => boolean;
  readSize: (bytes: Buffer) => Size;
};

const textAt = (bytes: Buffer, at: number, length: number): string => bytes.toString("latin1", at, at + length);

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const png: Format = {
  contentType: "image/png",
  isFormat: (bytes) => bytes.subarray(0, 8).equals(pngSignature) && textAt(bytes, 12, 4) === "IHDR",
  readSize: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
};

const gif: Format = {
  contentType: "image/gif",
  isFormat: (bytes) => ["GIF87a", "GIF89a"].includes(textAt(bytes, 0, 6)),
  readSize: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
};

const jpeg: Format = {
  contentType: "image/jpeg",
  isFormat: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  readSize: readJpegSize,
};

const webp: Format = {
  contentType: "image/webp",
  isFormat: (bytes) => textAt(bytes, 0, 4) === "RIFF" && textAt(bytes, 8, 4) === "WEBP",
  readSize: readWebpSize,
};

/** Markers of frames; C4, C8 and CC are tables and an extension. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The segments before the pixels are skipped: thumbnails and colour profiles may come first. */
function readJpegSize(bytes: Buffer): Size {
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) throw new RangeError("a segment without a marker");
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // Markers may be preceded by any number of fill bytes.
    at += marker === 0xff ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}

function readWebpSize(bytes: Buffer): Size {
  const chunk = textAt(bytes, 12, 4);
  if (chunk === "VP8X") return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (chunk === "VP8L" && bytes.readUInt8(20) === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (chunk === "VP8 " && bytes.readUIntBE(23, 3) === 0x9d012a)
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  throw new RangeError("an unknown chunk");
}

const formats = [png, gif, jpeg, webp];

/** Null for bytes that are not an image of these formats, or whose header is cut off or damaged. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  const format = formats.find(({ isFormat }) => isFormat(bytes));
  if (!format) return null;
  try {
    const { width, height } = format.readSize(bytes);
    return width > 0 && height > 0 ? { contentType: format.contentType, width, height } : null;
  } catch (error) {
    // Buffers throw a RangeError for a read beyond their end.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Text that begins like XML or HTML, in which an `svg` element follows soon. */
export function isSvg(bytes: Buffer): boolean {
  const start = textAt(bytes, 0, 4_000).replace(/^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/, "");
  return start.startsWith("<") && /<svg[\s>]/i.test(start);
}
