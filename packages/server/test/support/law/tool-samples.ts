// Samples of what the testkit, scripts and benchmarks may import.
import { noExceptions, type Sample } from "./samples.ts";

export const toolSamples: Sample[] = [
  {
    name: "the testkit and the service by its name",
    path: "testkit/src/a.ts",
    text: 'import { a } from "@tidings/server/source/store/db";\nimport pg from "pg";\nconsole.log(process.env.A);',
  },
  {
    name: "the testkit and the service by a path",
    path: "testkit/src/a.ts",
    text: 'import { a } from "../../server/src/store/db.ts";',
    fault: /a package is imported by its name/,
  },
  {
    name: "the testkit and tests",
    path: "testkit/src/a.ts",
    text: 'import { a } from "../../server/test/live/clients.ts";',
    fault: /what testkit, scripts and bench share is in the testkit/,
  },
  {
    name: "the testkit and itself by its name",
    path: "testkit/src/a.ts",
    text: 'import { a } from "@tidings/testkit/b";',
    fault: /within the testkit, imports are relative/,
  },
  {
    name: "scripts, the testkit and what tests are written with",
    path: "scripts/walk/a.ts",
    text: 'import { a } from "@tidings/testkit/a";\nimport { b } from "../../packages/server/test/dashboard/seed.ts";',
  },
  {
    name: "scripts and the contract by a path",
    path: "scripts/a.ts",
    text: 'import type { A } from "../packages/contract/src/index.ts";',
    fault: /a package is imported by its name/,
  },
  {
    name: "a script that may read sources",
    path: "scripts/a.ts",
    text: 'import type { A } from "../packages/contract/src/steps/kit.ts";',
    law: { ...noExceptions, sourceReaders: { "scripts/a.ts": "writes them" } },
  },
  {
    name: "scripts and benchmarks",
    path: "scripts/chaos/a.ts",
    text: 'import { a } from "../../bench/b.ts";',
    others: { "bench/b.ts": "export const a = 1;" },
    fault: /what testkit, scripts and bench share is in the testkit/,
  },
  {
    name: "benchmarks and scripts",
    path: "bench/a.ts",
    text: 'import { a } from "../scripts/b.ts";',
    fault: /what testkit, scripts and bench share is in the testkit/,
  },
  {
    name: "a cycle of two scripts",
    path: "scripts/chaos/a.ts",
    text: 'import { b } from "./load/b.ts";',
    others: { "scripts/chaos/load/b.ts": 'import type { A } from "../a.ts";' },
    fault: /scripts\/chaos\/a\.ts: import cycle/,
  },
  {
    name: "a long benchmark",
    path: "bench/a.ts",
    text: "//\n".repeat(401),
    fault: /has 401 lines, 400 are allowed/,
  },
  {
    name: "a folder of 26 scripts",
    path: "scripts/n/a.ts",
    text: "export {};",
    others: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`scripts/n/file-${n}.ts`, "export {};"])),
    fault: /scripts\/n: has 26 files/,
  },
  ...["@tidings/testkit/service", "../../testkit/src/service.ts", "../../../scripts/a.ts"].map((target) => ({
    name: `what is shipped and ${target}`,
    path: "cli/src/a.ts",
    text: `import { a } from "${target}";`,
    fault: /which it may not|another package is imported by its name/,
  })),
];
