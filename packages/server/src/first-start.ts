// The secrets of a first start: the link that makes the first owner, and the API key of Development. A terminal shows
// them in the banner. Other output ends up in logs, which more people can read: there they go to a file for the user of
// the process alone.
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Service } from "./service.ts";

export const firstStartFile = "first-start.txt";

/** `file`: where the secrets are. Null where there are none to keep, or the folder cannot be written to. */
export type SecretsPlace = { kind: "shown" } | { kind: "kept"; file: string | null };

type FirstStart = Pick<Service, "firstLink" | "isFirstStart" | "developmentKey">;

/** Called at every start: once there is an owner, the file of the first start is deleted. */
export function placeSecrets(service: FirstStart, dataDir: string, isTerminal: boolean): SecretsPlace {
  const file = join(dataDir, firstStartFile);
  const lines = linesOf(service);
  try {
    if (isTerminal || lines.length === 0) {
      rmSync(file, { force: true });
      return isTerminal ? { kind: "shown" } : { kind: "kept", file: null };
    }
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    // A new file, because an existing one would keep its mode.
    const next = `${file}.${process.pid}`;
    rmSync(next, { force: true });
    writeFileSync(next, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx" });
    renameSync(next, file);
    return { kind: "kept", file };
  } catch {
    // A folder that is not writable, as in a container without a volume. `tidings sign-in` and `tidings key` show
    // the same.
    return isTerminal ? { kind: "shown" } : { kind: "kept", file: null };
  }
}

const linesOf = ({ firstLink, isFirstStart, developmentKey }: FirstStart): string[] => [
  ...(firstLink ? [`Sign in   ${firstLink}`] : []),
  ...(isFirstStart && developmentKey ? [`API key   ${developmentKey}`] : []),
];
