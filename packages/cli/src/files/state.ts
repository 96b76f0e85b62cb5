// What was pulled or applied last, on this machine: the fingerprints of resources by environment, for drift, and the
// hashes of the files that were written, so that a pull knows what was changed here since. Not for the repository.
import { createHash } from "node:crypto";
import type { Folder } from "./folder.ts";

export type FilesState = {
  version: 1;
  /** Fingerprints by id of the environment. */
  environments: Record<string, Record<string, string>>;
  /** Hashes by path. */
  files: Record<string, string>;
};

const statePath = ".tidings/state.json";

/** A lost or damaged state only means that nothing is known of the last pull. */
export function readState(folder: Folder): FilesState {
  const empty: FilesState = { version: 1, environments: {}, files: {} };
  try {
    const state = JSON.parse(folder.read(statePath) ?? "") as FilesState;
    return state.version === 1 ? { ...empty, ...state } : empty;
  } catch (error) {
    if (error instanceof SyntaxError) return empty;
    throw error;
  }
}

export const writeState = (folder: Folder, state: FilesState): void =>
  folder.write(statePath, `${JSON.stringify(state, null, 2)}\n`);

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32);
