// The messages of a COPY as PostgreSQL reads them, with rows in its binary format (docs/decisions/0021-copy.md): ids
// and times are used unchanged instead of being parsed.
// https://www.postgresql.org/docs/current/protocol-message-formats.html

/** The name and the type of each column that is written. */
export type ColumnTypes = Record<string, string>;

/** New rows of one table. Columns that a row leaves out are null. */
export type TableRows = { columns: ColumnTypes; rows: readonly object[] };

/** Rows are sent in pieces of this many bytes: PostgreSQL stores one while the next is written. */
const pieceBytes = 64 * 1024;

/**
 * A query with a `copy … from stdin with (format binary)` for each table, and the rows of each, in pieces as they are
 * written.
 */
export function* encodeCopy(query: string, tables: readonly TableRows[]): Generator<Buffer> {
  let to = new Writer();
  const queryStart = to.startMessage("Q");
  to.text(query);
  to.byte(0);
  to.endMessage(queryStart);
  for (const { columns, rows } of tables) {
    let dataStart = to.startMessage("d");
    writeHeader(to);
    const writeRow = rowWriter(columns);
    for (const row of rows) {
      writeRow(to, row as Record<string, unknown>);
      if (to.length < pieceBytes) continue;
      to.endMessage(dataStart);
      yield to.written();
      to = new Writer();
      dataStart = to.startMessage("d");
    }
    to.int16(-1);
    to.endMessage(dataStart);
    to.endMessage(to.startMessage("c"));
  }
  yield to.written();
}

const signature = "PGCOPY\n\u00ff\r\n\0";

function writeHeader(to: Writer): void {
  for (const character of signature) to.byte(character.charCodeAt(0));
  to.int32(0); // no flags
  to.int32(0); // no extension of the header
}

function rowWriter(columns: ColumnTypes): (to: Writer, row: Record<string, unknown>) => void {
  const names = Object.keys(columns);
  const writers = names.map((name) => writerOf(name, columns[name]!));
  return (to, row) => {
    to.int16(names.length);
    for (let column = 0; column < names.length; column++) writeField(to, row[names[column]!], writers[column]!);
  };
}

/** The count of bytes, then the bytes; a count of -1 is null. */
function writeField(to: Writer, value: unknown, write: WriteValue): void {
  const start = to.length;
  to.int32(-1);
  if (value === null || value === undefined) return;
  write(to, value as never);
  to.int32At(start, to.length - start - 4);
}

type WriteValue = (to: Writer, value: never) => void;

const writeUuid: WriteValue = (to, id: string) => to.uuid(id);
const writeText: WriteValue = (to, text: string) => to.text(text);
const writeTime: WriteValue = (to, time: Date) => to.time(time.getTime());

/**
 * How values of a column's type are written. The rows must have the type of their column exactly, since PostgreSQL
 * converts nothing; a value that does not fit is refused here.
 */
const writersByType: Record<string, WriteValue> = {
  uuid: writeUuid,
  text: writeText,
  json: (to, value: unknown) => to.text(JSON.stringify(value)),
  jsonb(to, value: unknown) {
    to.byte(1); // the version of the format
    to.text(JSON.stringify(value));
  },
  timestamptz: writeTime,
  boolean: (to, value: boolean) => to.byte(value ? 1 : 0),
  smallint: (to, value: number) => to.int16(value),
  integer: (to, value: number) => to.int32(value),
  "uuid[]": (to, ids: string[]) => writeArray(to, ids, 2950, writeUuid),
  "text[]": (to, texts: string[]) => writeArray(to, texts, 25, writeText),
  "timestamptz[]": (to, times: Date[]) => writeArray(to, times, 1184, writeTime),
};

function writerOf(column: string, type: string): WriteValue {
  const write = writersByType[type];
  if (!write) throw new Error(`column ${column}: values of the type ${type} cannot be copied`);
  return write;
}

/** The type of the items is named by its number in PostgreSQL's catalogue. */
function writeArray(to: Writer, items: unknown[], itemType: number, writeItem: WriteValue): void {
  to.int32(items.length > 0 ? 1 : 0); // dimensions
  to.int32(0); // flags
  to.int32(itemType);
  if (items.length === 0) return;
  to.int32(items.length);
  to.int32(1); // the first index
  for (const item of items) writeField(to, item, writeItem);
}

/** The value of a digit of base 16, by its character code; a number with more than a byte for other characters. */
const digitValues = Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0x100 : value;
});
/** Where the bytes of an id begin in its text: between them are four hyphens. */
const bytesOfId = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
/** Times are counted from the beginning of 2000. */
const firstMs = Date.UTC(2000, 0, 1);
/** Up to here, writing the characters one by one is faster than a call of the buffer. */
const shortText = 24;

/**
 * Bytes in the order in which they are written, most significant first. The rows of a batch are thousands of values, so
 * each is written without the checks of Buffer.
 */
class Writer {
  bytes = Buffer.allocUnsafe(pieceBytes + 8 * 1024);
  length = 0;

  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  startMessage(kind: string): number {
    this.byte(kind.charCodeAt(0));
    this.int32(0);
    return this.length - 4;
  }

  /** A message begins with its kind and its length, which includes the four bytes of the length itself. */
  endMessage(start: number): void {
    this.int32At(start, this.length - start);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.bytes[this.length++] = value;
  }

  int16(value: number): void {
    if (value !== (value << 16) >> 16) throw new RangeError(`${value} is not a number of 16 bits`);
    this.#reserve(2);
    this.bytes[this.length++] = value >> 8;
    this.bytes[this.length++] = value;
  }

  int32(value: number): void {
    if (value !== (value | 0)) throw new RangeError(`${value} is not a number of 32 bits`);
    this.#reserve(4);
    this.int32At(this.length, value);
    this.length += 4;
  }

  int32At(at: number, value: number): void {
    const { bytes } = this;
    bytes[at] = value >> 24;
    bytes[at + 1] = value >> 16;
    bytes[at + 2] = value >> 8;
    bytes[at + 3] = value;
  }

  /**
   * 64 bits of microseconds, multiplied in two halves: the product of a far date has more than the 53 bits of a number.
   */
  time(ms: number): void {
    const sinceFirst = ms - firstMs;
    const upper = Math.floor(sinceFirst / 2 ** 32);
    const lower = (sinceFirst - upper * 2 ** 32) * 1000;
    this.int32(upper * 1000 + Math.floor(lower / 2 ** 32));
    this.int32(lower | 0);
  }

  text(text: string): void {
    const { length: count } = text;
    // A character of JavaScript takes three bytes at most.
    this.#reserve(3 * count);
    const { bytes } = this;
    let at = this.length;
    for (let index = 0; count <= shortText && index < count; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) break;
      bytes[at++] = code;
    }
    this.length = at - this.length === count ? at : this.length + bytes.write(text, this.length);
  }

  uuid(text: string): void {
    this.#reserve(16);
    const { bytes } = this;
    let all = 0;
    for (let index = 0; index < 16; index++) {
      const at = bytesOfId[index]!;
      const byte = ((digitValues[text.charCodeAt(at)] ?? 0x100) << 4) | (digitValues[text.charCodeAt(at + 1)] ?? 0x100);
      all |= byte;
      bytes[this.length++] = byte;
    }
    if (all > 0xff || text.length !== 36) throw new RangeError(`${JSON.stringify(text)} is not a UUID`);
  }

  #reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.length + count, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
