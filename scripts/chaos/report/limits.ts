// What a run does not show, and how to repeat it.
import { isDeepStrictEqual } from "node:util";
import { makePlan } from "../plan.ts";
import { countOf, escapeText, formatMs, joinWords, wrapText } from "./markdown.ts";
import type { Proof } from "./proof.ts";

export function describeLimits({ evidence, figures }: Proof): string[] {
  const { run, faults } = evidence;
  const seconds = Math.max(1, (run.loadEndedAt - run.startedAt) / 1_000);
  const minutes = Math.max(1, Math.round(seconds / 60));
  const length = countOf(minutes, "minute");
  const rate = (figures.counts.events / seconds).toFixed(1);
  const workflows = joinWords([
    ...new Set(run.workflows.map(({ promise }) => escapeText(promise.kind.replaceAll("_", "-")))),
  ]);
  const hasClocks = faults.some(({ fault, problem }) => fault.startsWith("clock") && !problem);
  const limits = [
    "**A run proves nothing for good.** It can show that a promise is broken. It cannot show that no other timing " +
      "breaks it.",
    "**One machine.** The service, PostgreSQL, the load and the fake providers share it, so latencies are those of a " +
      "busy machine. The network is the loopback interface with a proxy in between.",
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
    `**${length} ${minutes === 1 ? "is" : "are"} not a month.** Leaks, retention and the change of partitions take longer.`,
    `**Clocks.** ${hasClocks ? "The run moved clocks of the service, but not" : "The run moved no clock, nor is there a way to move"} ` +
      "that of PostgreSQL, by which tasks become due.",
    `**One version of PostgreSQL**, ${escapeText(run.versions.postgres, 60)}, and one platform, ${escapeText(run.machine.platform, 60)}.`,
    "**The same authors wrote the service and the auditor.** They share no code, and tests plant mistakes that the " +
      "auditor has to find. Still, it checks only what its authors thought of. It is in `scripts/auditor`.",
  ];
  return [limits.map((one) => wrapText(`- ${one}`)).join("\n")];
}

export function describeRepetition({ evidence: { run } }: Proof): string[] {
  // The load of a brief run may wait for its faults.
  const minutes = Math.max(1, Math.floor((run.loadEndedAt - run.startedAt) / 60_000));
  const isSeedEnough = isDeepStrictEqual(makePlan({ seed: run.seed, seconds: minutes * 60 }), run.plan);
  // A build of a tag is named with its commit: "v0.1.0 (c4a8532b)".
  const before = run.versions.before ? ` --before ${run.versions.before.split(" ")[0]}` : "";
  return [
    "In a clone, on Linux, as root:",
    `\`\`\`sh\nnpm run chaos -- --seed ${run.seed} --minutes ${minutes}${before} --keep evidence\nnpm run chaos:report -- evidence\n\`\`\``,
    ...(isSeedEnough
      ? []
      : ["The plan of this run is another one: it had more options, such as `--faults`, or is of an earlier version."]),
    wrapText(
      "The first command prints its plan, causes the failures, and ends with an error if a promise was broken. If a " +
        "failure is not possible on the machine, it says why, and which Debian package is missing. The run on this " +
        `page took ${formatMs(run.endedAt - run.startedAt)}. The second command writes this page.`,
    ),
    "`npm test` includes a run of half a minute on the embedded PostgreSQL.",
  ];
}
