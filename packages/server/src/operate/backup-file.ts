// A backup as a file: compressed by zstd, written under another name until it is whole, and readable by its owner
// alone.
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { syncFolder } from "../store/embedded/folder.ts";
import {
  altered,
  BackupFileError,
  type BackupHeader,
  type BackupTrailer,
  cutShort,
  type Frame,
  readFrames,
} from "./format.ts";

const chunkBytes = 256 * 1024;

const createCompressor = () =>
  createZstdCompress({
    chunkSize: chunkBytes,
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/**
 * The end of a file: a frame that programs for zstd skip. The last bytes of a compressed stream carry no content:
 * without this frame, a file that has lost only those would pass for a whole one.
 */
const lastBytes = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 12, 0, 0, 0]), Buffer.from("Tidings end\n")]);

type Written = { trailer: BackupTrailer; bytes: number };

/** What is written is counted, and the trailer kept: a pipeline does not pass on what a generator returns. */
async function compress(frames: AsyncGenerator<Buffer, BackupTrailer>, to: Writable, options: PipeOptions) {
  let trailer: BackupTrailer | undefined;
  let bytes = 0;
  async function* source() {
    trailer = yield* frames;
  }
  async function* finish(compressed: AsyncIterable<Buffer>) {
    for await (const chunk of compressed) {
      bytes += chunk.length;
      yield chunk;
    }
    bytes += lastBytes.length;
    yield lastBytes;
  }
  await pipeline(Readable.from(source(), { objectMode: false }), createCompressor(), finish, to, options);
  return { trailer: trailer!, bytes };
}

type PipeOptions = { signal: AbortSignal; end?: boolean };

/** The standard output stays open. */
export const writeToStream = (
  frames: AsyncGenerator<Buffer, BackupTrailer>,
  to: Writable,
  signal: AbortSignal,
): Promise<Written> =>
  compress(frames, to, { signal, end: false }).catch((error) => {
    throw explainWriteError(error, "the standard output");
  });

/** An existing file is replaced when the new one is complete. */
export async function writeToFile(
  frames: AsyncGenerator<Buffer, BackupTrailer>,
  file: string,
  signal: AbortSignal,
): Promise<Written> {
  const unfinished = `${file}.unfinished-${process.pid}`;
  try {
    const handle = await open(unfinished, "wx", 0o600);
    // `flush`: what is renamed is on the disk.
    const written = await compress(frames, handle.createWriteStream({ flush: true }), { signal });
    await rename(unfinished, file);
    await syncFolder(dirname(file));
    return written;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw explainWriteError(error as NodeJS.ErrnoException, file, "Nothing was left there.");
  }
}

const writeProblems: Record<string, string> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file would be too large",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  ENOENT: "the folder does not exist",
  EISDIR: "it is a folder",
  EPIPE: "its reader has gone",
};

function explainWriteError(error: NodeJS.ErrnoException, to: string, left = "It is not complete."): Error {
  const problem = error.syscall === undefined ? undefined : writeProblems[error.code ?? ""];
  return problem ? new BackupFileError(`The backup could not be written to ${to}: ${problem}. ${left}`) : error;
}

/** The frames of a file. Every error of reading or of decompression is a BackupFileError. */
export async function* readFile(file: string): AsyncGenerator<Frame, void> {
  let handle: FileHandle | undefined;
  const decompressor = createZstdDecompress({ chunkSize: chunkBytes });
  try {
    handle = await open(file);
    const { size } = await handle.stat();
    const hasEnd = await endsWhole(handle, size);
    const end = size - (hasEnd ? lastBytes.length : 0) - 1;
    // A stream of no bytes has no end to give.
    if (end < 0) throw new BackupFileError(`${file} is not a backup of Tidings.`);
    const source = handle.createReadStream({ start: 0, end, highWaterMark: chunkBytes, autoClose: false });
    source.on("error", (error) => decompressor.destroy(error));
    for await (const frame of readFrames(source.pipe(decompressor), file)) {
      if (frame.kind === "trailer" && !hasEnd) throw cutShort(file);
      yield frame;
    }
  } catch (error) {
    throw explainReadError(error as NodeJS.ErrnoException, file);
  } finally {
    decompressor.destroy();
    await handle?.close();
  }
}

async function endsWhole(handle: FileHandle, size: number): Promise<boolean> {
  const last = Buffer.alloc(lastBytes.length);
  await handle.read(last, 0, last.length, Math.max(0, size - last.length));
  return last.equals(lastBytes);
}

function explainReadError(error: NodeJS.ErrnoException, file: string): Error {
  if (error instanceof BackupFileError) return error;
  if (error.code === "ENOENT") return new BackupFileError(`There is no file ${file}.`);
  if (error.code === "EISDIR") return new BackupFileError(`${file} is a folder, not a backup.`);
  if (error.code === "EACCES") return new BackupFileError(`This user may not read ${file}.`);
  if (error.code === "ZSTD_error_prefix_unknown") return new BackupFileError(`${file} is not a backup of Tidings.`);
  if (error.code === "Z_BUF_ERROR") return cutShort(file);
  return String(error.code).startsWith("ZSTD_error") ? altered(file) : error;
}

/** The header alone, for what can be refused without reading the rest. */
export async function readHeader(file: string): Promise<BackupHeader> {
  for await (const frame of readFile(file)) if (frame.kind === "header") return frame.header;
  throw altered(file);
}

/** Reads the whole file once and checks it. */
export async function verifyFile(file: string): Promise<BackupTrailer> {
  let trailer: BackupTrailer | undefined;
  for await (const frame of readFile(file)) if (frame.kind === "trailer") trailer = frame.trailer;
  return trailer!;
}
