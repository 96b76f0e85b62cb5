// Seconds of a core that processes have used. Linux keeps it for every process and those that it has waited for;
// elsewhere a process knows its own time alone.
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;

type Stat = { parent: number; seconds: number };

function statOf(pid: number | string): Stat | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
  } catch {
    return null;
  }
}

/** The processes below this one, which it started itself or through others. */
export function descendantsOf(pid: number): { pid: number; seconds: number }[] {
  const children = new Map<number, { pid: number; seconds: number }[]>();
  for (const name of listProcesses()) {
    const stat = statOf(name);
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), { pid: Number(name), ...stat }]);
  }
  const found = [...(children.get(pid) ?? [])];
  for (const one of found) found.push(...(children.get(one.pid) ?? []));
  return found;
}

const listProcesses = (): string[] => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
};

export const canMeasureOthers = process.platform === "linux";

/** Seconds of a core that this process, and those below it, have used since it started. */
export function cpuSeconds(): number {
  const own = statOf(process.pid);
  if (!own) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  return descendantsOf(process.pid).reduce((sum, { seconds }) => sum + seconds, own.seconds);
}
