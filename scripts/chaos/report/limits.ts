// What a run does not show, and how to repeat it.
import { escapeText, formatMs, joinWords, wrapText } from "./markdown.ts";
import type { Proof } from "./proof.ts";

export function describeLimits({ evidence, figures }: Proof): string[] {
  const { run, faults } = evidence;
  const seconds = Math.max(1, (run.loadEndedAt - run.startedAt) / 1_000);
  const rate = (figures.counts.events / seconds).toFixed(1);
  const workflows = joinWords([
    ...new Set(run.workflows.map(({ promise }) => escapeText(promise.kind.replaceAll("_", "-")))),
  ]);
  const hasClocks = faults.some(({ fault, problem }) => fault.startsWith("clock") && !problem);
  const limits = [
    "A run can show that a promise is broken, and never that it cannot be: other timings may break it.",
    "**One machine.** The processes of the service, PostgreSQL, the load and the fake providers share it. Latencies are " +
      "those of a busy small machine, and the network is the loopback interface with a proxy in between.",
    "**No loss of power.** Killing a process leaves what it wrote in the memory of the kernel. A missing flush to disk, " +
      "a disk that lies, and corrupted blocks would not be found.",
    `**Little load.** ${rate} events per second were accepted, far below the capacity of the service. What happens at ` +
      "capacity is in the [benchmarks](../bench/results.md).",
    "**Fake providers.** Email over SMTP and SMS over HTTP, received by programs that are part of the test. Push, chat " +
      "and the adapters of other vendors are not in it; their tests compare requests with the documentation.",
    `**These workflows only**: ${workflows || "none"}. Other steps, such as branches and HTTP requests, are covered by ` +
      "the tests of the repository.",
    "**The same seed is not the same run.** It gives the same plan and the same load, and the operating system decides " +
      "the rest. A break that depends on microseconds may take many runs to be seen.",
    "**An hour is not a month.** Leaks, retention and the change of partitions take longer.",
    `**Clocks.** ${hasClocks ? "Clocks of processes of the service were moved, and" : "No clock was moved, and"} the ` +
      "clock of PostgreSQL never is, by which tasks become due.",
    `**One PostgreSQL**, version ${escapeText(run.versions.postgres, 60)}, and one platform, ${escapeText(run.machine.platform, 60)}.`,
    "**The authors of the service wrote the test.** The auditor shares no code with the service and is tested with " +
      "planted mistakes, and yet it checks only what its authors thought of. It is in `scripts/auditor`: try to refute it.",
  ];
  return [limits.map((one) => wrapText(`- ${one}`)).join("\n")];
}

/** The plan of a run that is at least this long is that of `--long`. */
const minLongMs = 55 * 60_000;

export function describeRepetition({ evidence: { run } }: Proof): string[] {
  const loadMs = run.loadEndedAt - run.startedAt;
  const isLong = loadMs >= minLongMs;
  return [
    "In a clone, on Linux, as root:",
    `\`\`\`sh\nnpm run chaos -- --seed ${run.seed}${isLong ? " --long" : ""}\n\`\`\``,
    wrapText(
      `It took ${formatMs(run.endedAt - run.startedAt)} here, and prints its plan before it begins. It checks what it ` +
        "needs and names the Debian package that is missing. Without `--seed` it chooses one and prints it, without " +
        `\`--long\` it takes a few minutes${isLong ? "" : ", as this run did; the one with `--long` takes an hour"}. It ends ` +
        "with an error if a promise is broken, and its folder of evidence can be judged again at any time.",
    ),
    wrapText(
      "`npm run chaos:report -- <folder>` writes this page from that folder. A short run with a fixed and one with a " +
        "random seed are part of `npm test`.",
    ),
  ];
}
