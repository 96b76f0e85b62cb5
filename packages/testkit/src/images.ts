// Small images, as files of a form.
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import type { UploadedFile } from "@tidings/contract";

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A PNG of random noise in shades of grey, so that no two are equal. */
export function pngOf(width = 2, height = 1): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const lines = Buffer.concat(Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), randomBytes(width)])));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(lines)),
    chunk("tEXt", Buffer.from(`Comment\0${randomBytes(8).toString("hex")}`)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export const imageFile = (bytes: Buffer = pngOf(), fileName = "logo.png"): UploadedFile => ({
  fileName,
  contentType: "application/octet-stream",
  bytes: bytes.toString("latin1"),
});
