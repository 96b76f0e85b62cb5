// Writes the evidence of a run: a file of JSON lines for each kind.
import { once } from "node:events";
import { createWriteStream, mkdirSync, type WriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { files } from "../auditor/evidence.ts";
import type { EvidenceWriter } from "./parts.ts";

const closeMs = 30_000;

export function openEvidence(folder: string): EvidenceWriter {
  mkdirSync(folder, { recursive: true });
  const streams: WriteStream[] = [];
  let failure: Error | null = null;
  const open = (name: string) => {
    const stream = createWriteStream(join(folder, name));
    stream.on("error", (error) => {
      failure ??= error;
    });
    streams.push(stream);
    return (value: object) => {
      // Evidence with a gap would accuse the service of what this program did.
      if (failure) throw failure;
      stream.write(`${JSON.stringify(value)}\n`);
    };
  };
  return {
    folder,
    call: open(files.calls),
    stream: open(files.streams),
    delivery: open(files.deliveries),
    fault: open(files.faults),
    final: open(files.finals),
    run: (run) => writeFileSync(join(folder, files.run), `${JSON.stringify(run, null, 2)}\n`),
    async close() {
      const signal = AbortSignal.timeout(closeMs);
      await Promise.all(
        streams.map(async (stream) => {
          stream.end();
          if (!stream.closed) await once(stream, "close", { signal });
        }),
      );
      if (failure) throw failure;
    },
  };
}
