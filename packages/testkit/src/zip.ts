// The files of an archive: read from its central directory, as programs that open archives do.
import { inflateRawSync } from "node:zlib";

export function readZip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("the archive has no end");
  const count = bytes.readUInt16LE(end + 10);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const [packed, nameLength] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const extra = bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString();
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    files.set(name, inflateRawSync(bytes.subarray(start, start + packed)).toString());
    at += 46 + nameLength + extra;
  }
  return files;
}
