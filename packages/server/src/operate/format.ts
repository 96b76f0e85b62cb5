// The format of a backup, before its compression: a first line, then frames. A frame is a letter, the count of its
// bytes, and the bytes: the header, for each table its name, its rows as COPY writes them and their count, and the
// trailer, which has the checksum of everything before it (docs/decisions/0035-own-backup-format.md).
import { createHash } from "node:crypto";
import type { AppliedMigration, BackupSequence, BackupTable } from "../store/backup/catalogue.ts";
import type { OpenWork } from "../store/backup/open-work.ts";

export const formatVersion = 1;

export type BackupHeader = {
  format: number;
  /** The version of Tidings that took the backup, and that of its PostgreSQL. */
  program: string;
  postgres: string;
  /** When the backup was taken. */
  at: string;
  /** The version of the queue's tables. */
  queue: number;
  migrations: AppliedMigration[];
  tables: BackupTable[];
  sequences: BackupSequence[];
  /** What waited at that moment. */
  open: (Pick<OpenWork, "noun" | "count"> & { first: string; last: string })[];
  /** The encryption keys that the secrets need, by which they are recognized. */
  keys: { version: number; fingerprint: string }[];
  /** The keys themselves, as TIDINGS_ENCRYPTION_KEY has them. Only with --with-key. */
  encryptionKey?: string;
};

export type BackupTrailer = { tables: number; rows: number; sha256: string };

export type Frame =
  | { kind: "header"; header: BackupHeader }
  | { kind: "table"; name: string }
  | { kind: "rows"; bytes: Buffer }
  | { kind: "end"; rows: number }
  | { kind: "trailer"; trailer: BackupTrailer };

/** What a backup says about itself is wrong. The sentences name the file. */
export class BackupFileError extends Error {}

const firstLine = Buffer.from("Tidings backup\n");
const letters = { header: "H", table: "T", rows: "D", end: "E", trailer: "Z" } as const;
const headBytes = 5;
/** The header lists every table and column; rows come in smaller pieces. */
const maxFrameBytes = 64 * 1024 * 1024;

function encode(kind: keyof typeof letters, body: Buffer): Buffer[] {
  const head = Buffer.allocUnsafe(headBytes);
  head.write(letters[kind], 0, "latin1");
  head.writeUInt32BE(body.length, 1);
  return [head, body];
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export type TableSource = { name: string; read(): AsyncGenerator<Buffer, number> };
type Watch = (table: string, rows: number | null, bytes: number) => void;

/** `watch` is called after each piece, and with the count of rows at the end of each table. */
export async function* writeFrames(
  header: BackupHeader,
  tables: TableSource[],
  watch: Watch,
): AsyncGenerator<Buffer, BackupTrailer> {
  const hash = createHash("sha256");
  const hashed = (parts: Buffer[]) => {
    for (const part of parts) hash.update(part);
    return parts;
  };
  yield* hashed([firstLine, ...encode("header", json(header))]);
  let total = 0;
  for (const { name, read } of tables) {
    yield* hashed(encode("table", json({ name })));
    const pieces = read();
    let bytes = 0;
    for (;;) {
      const { value, done } = await pieces.next();
      if (done) {
        yield* hashed(encode("end", json({ rows: value })));
        total += value;
        watch(name, value, bytes);
        break;
      }
      bytes += value.length;
      yield* hashed(encode("rows", value));
      watch(name, null, bytes);
    }
  }
  const trailer = { tables: tables.length, rows: total, sha256: hash.digest("hex") };
  yield* encode("trailer", json(trailer));
  return trailer;
}

/**
 * Reads and checks frames: their order, the counts of the trailer, the checksum. It ends with the trailer, or throws a
 * BackupFileError.
 */
export async function* readFrames(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Frame, void> {
  const bytes = createByteReader(source);
  const first = await bytes.read(firstLine.length);
  if (!first?.equals(firstLine)) throw new BackupFileError(`${file} is not a backup of Tidings.`);
  const hash = createHash("sha256").update(first);
  const check = createOrderCheck(file);
  for (;;) {
    const head = await bytes.read(headBytes);
    const length = head?.readUInt32BE(1) ?? 0;
    if (length > maxFrameBytes) throw altered(file);
    const body = head && (await bytes.read(length));
    if (!body) throw cutShort(file);
    const frame = decode(head.toString("latin1", 0, 1), body, file);
    check(frame);
    if (frame.kind !== "trailer") {
      hash.update(head).update(body);
      yield frame;
      continue;
    }
    if (frame.trailer.sha256 !== hash.digest("hex") || (await bytes.read(1)) !== null) throw altered(file);
    yield frame;
    return;
  }
}

const useAnother = "Nothing was changed. Copy it again from where it was written, or use another backup.";
export const cutShort = (file: string) =>
  new BackupFileError(`${file} was cut short: its end is missing. ${useAnother}`);
export const altered = (file: string) =>
  new BackupFileError(`${file} was altered: its checksum does not match its content. ${useAnother}`);

function decode(letter: string, body: Buffer, file: string): Frame {
  if (letter === letters.rows) return { kind: "rows", bytes: body };
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw altered(file);
  }
  if (letter === letters.header) return { kind: "header", header: value as BackupHeader };
  if (letter === letters.table) return { kind: "table", name: String(value.name) };
  if (letter === letters.end) return { kind: "end", rows: Number(value.rows) };
  if (letter === letters.trailer) return { kind: "trailer", trailer: value as BackupTrailer };
  throw altered(file);
}

/** Throws unless each frame may follow the one before, and the trailer counts what was there. */
function createOrderCheck(file: string): (frame: Frame) => void {
  let before: Frame["kind"] | "start" = "start";
  let tables = 0;
  let rows = 0;
  const after: Record<Frame["kind"], readonly string[]> = {
    header: ["start"],
    table: ["header", "end"],
    rows: ["table", "rows"],
    end: ["table", "rows"],
    trailer: ["header", "end"],
  };
  return (frame) => {
    if (!after[frame.kind].includes(before)) throw altered(file);
    before = frame.kind;
    if (frame.kind === "end") {
      tables++;
      rows += frame.rows;
    }
    if (frame.kind === "trailer" && (frame.trailer.tables !== tables || frame.trailer.rows !== rows))
      throw altered(file);
  };
}

/** `read` returns so many bytes, or null when fewer are left. */
function createByteReader(source: AsyncIterable<Buffer>): { read(count: number): Promise<Buffer | null> } {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    async read(count) {
      const parts = [rest];
      let length = rest.length;
      while (length < count) {
        const { value, done } = await chunks.next();
        if (done) return null;
        parts.push(value);
        length += value.length;
      }
      const all = parts.length === 1 ? rest : Buffer.concat(parts, length);
      rest = all.subarray(count);
      return all.subarray(0, count);
    },
  };
}
