// `tidings plan` of an environment with many workflows, one of which was changed: what the command and the service cost
// together. The command is the built program, as users run it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowFile } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { median } from "@tidings/testkit/load/figures";
import { progress } from "@tidings/testkit/load/progress";
import type { BenchService } from "./support.ts";
import { type Row, valueAtMost } from "./table.ts";
import { readCpuMs } from "./usage.ts";

const program = new URL("../packages/cli/bin/tidings.mjs", import.meta.url).pathname;
const aimSeconds = 3;

/** Three steps, an email of 4 kB and texts in two languages. */
const workflowOf = (number: number): WorkflowFile => ({
  workflowId: `workflow-${number}`,
  name: `Workflow ${number}`,
  tags: ["bench"],
  isTranslationEnabled: true,
  payloadSchema: { type: "object", properties: { name: { type: "string" }, number: { type: "number" } } },
  steps: [
    { stepId: "inbox", type: "in_app", controlValues: { subject: "Hello {{payload.name}}", body: "{{t.text}}" } },
    { stepId: "wait", type: "delay", controlValues: { type: "regular", amount: 1, unit: "hours" } },
    {
      stepId: "mail",
      type: "email",
      controlValues: {
        subject: `Number ${number}`,
        editorType: "html",
        body: `<p>Hello {{ payload.name }}</p>\n`.repeat(120),
      },
    },
  ],
  translations: { en_US: { text: `Text ${number}` }, de_DE: { text: `Text ${number}` } },
});

export async function benchPlan(service: BenchService, count: number, rounds: number): Promise<Row[]> {
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  const resources = { workflows: Array.from({ length: count }, (_, number) => workflowOf(number)) };
  progress(`applying ${count} workflows …`);
  const { fingerprint } = (await client("files.plan", { body: { resources } })).body;
  await client("files.apply", { body: { resources, expectedFingerprint: fingerprint } });
  const folder = mkdtempSync(join(tmpdir(), "tidings-bench-files-"));
  try {
    const run = (expected: number, ...argv: string[]) => {
      const env = { PATH: process.env.PATH, TIDINGS_URL: service.url, TIDINGS_API_KEY: service.apiKey };
      const ran = spawnSync(process.execPath, [program, ...argv], { cwd: folder, env, encoding: "utf8" });
      if (ran.status !== expected) throw new Error(`tidings ${argv.join(" ")}: ${ran.stderr || ran.stdout}`);
    };
    run(0, "pull");
    const file = join(folder, "workflows/workflow-7/workflow.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("Workflow 7", "Another name"));
    run(2, "plan");
    const measured: { command: number; service: number; seconds: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = {
        own: readCpuMs(process.pid, service.pid),
        service: readCpuMs(service.pid),
        at: performance.now(),
      };
      run(2, "plan");
      measured.push({
        // CPU time of children that ended is counted for the process that waited for them.
        command: (readCpuMs(process.pid, service.pid) - before.own) / 1000,
        service: (readCpuMs(service.pid) - before.service) / 1000,
        seconds: (performance.now() - before.at) / 1000,
      });
      const { command, service: served, seconds } = measured.at(-1)!;
      progress(`plan: ${seconds.toFixed(2)} s, CPU ${command.toFixed(2)} s command, ${served.toFixed(2)} s service`);
    }
    const total = median(measured.map((one) => one.command + one.service));
    const command = median(measured.map((one) => one.command));
    return [
      {
        what: `plan of ${count} workflows, one changed`,
        value: total,
        unit: "CPU s",
        aim: valueAtMost(aimSeconds),
        note: `${command.toFixed(2)} of them in the command; ${median(measured.map(({ seconds }) => seconds)).toFixed(2)} s to wait`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
