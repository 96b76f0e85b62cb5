// How slow this machine is at the moment, compared with the one that recorded the costs: a core that is shared, or of
// another kind, needs more seconds for the same work.
import { createHash } from "node:crypto";

/** What the work below took on the machine that recorded scripts/tests/costs.json. */
const referenceSeconds = 0.33;

const rounds = 120;
const record = { id: "4711", names: Array.from({ length: 200 }, (_, index) => `subscriber-${index}@example.com`) };

/** At least 1: a faster machine does not lower the budget. */
export function measureSlowness(): number {
  const before = process.cpuUsage();
  let text = JSON.stringify(record);
  for (let round = 0; round < rounds; round++) {
    const copy = JSON.parse(text) as typeof record;
    copy.names = copy.names.map((name) => name.replaceAll(/[aeiou]/g, (letter) => letter.toUpperCase()).toLowerCase());
    copy.names.sort((a, b) => b.localeCompare(a));
    text = JSON.stringify(copy);
    copy.id = createHash("sha256").update(text.repeat(20)).digest("hex");
  }
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (user + system) / 1e6 / referenceSeconds);
}
