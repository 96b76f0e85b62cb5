// What files are read from, and what may be wrong with them.

/** Parts of a path are joined by "/" on every system. */
export type ReadableFolder = {
  /** Null when there is no such file. */
  read(path: string): string | null;
  /** Names in a folder; null when there is no such folder. */
  list(path: string): { files: string[]; folders: string[] } | null;
};

/** An error of a file, with its place. */
export type FileProblem = { file: string; line: number; column: number; message: string };

export type Place = Pick<FileProblem, "file" | "line" | "column">;
