// `node record.ts <file> <seed or calm seed, …>` writes what the simulations of these seeds asked of their database:
// for replay.rest.test.ts, in whose process the modules of the store are the real ones.
import { writeFileSync } from "node:fs";
import { serialize } from "node:v8";
import { loadSimulator } from "./load.ts";

const [file = "", ...seeds] = process.argv.slice(2);
const { runSeed } = await loadSimulator();
const recordings: unknown[] = [];
for (const name of seeds) {
  const isCalm = name.startsWith("calm-");
  const { recording, rows } = await runSeed(Number(name.replace("calm-", "")), { isRecorded: true, isCalm });
  recordings.push({ name, recording, rows });
}
// What has no value outside of its process, such as a function among the arguments, is left out.
const plain = (value: unknown): unknown => {
  if (typeof value === "function") return null;
  if (value instanceof Date || value === null || typeof value !== "object") return value;
  if (value instanceof Set) return [...value].map(plain);
  if (value instanceof Map) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
};
writeFileSync(file, serialize(plain(recordings)));
