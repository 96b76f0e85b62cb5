// What runs have found, and what was done about it. Written by hand: the report includes it, newest first.

export type Finding = {
  /** The day, as 2026-11-18. */
  foundOn: string;
  /** `run`: a run of `npm run chaos`, which the report is about. `simulation`: `npm run simulate`. */
  by: "run" | "simulation";
  /** The seed with which it was seen, and the kinds of failures that were in effect. */
  seed: string;
  /** What was wrong, in a sentence that a user of the service understands. */
  what: string;
  /** The commit that fixed it; `open` if none has yet, and the report says so. */
  commit: string;
  /** The path of the test that fails without the fix. */
  test?: string;
  /** What one run broke because of it, and how that is known: the report of that run says it there. */
  explains?: Explained;
};

/** `date`: of the run, as its report gives it. `breaks`: by promise, how many of them are known to come from this. */
type Explained = { seed: number; date: string; breaks: Record<string, number>; how: string };

export const findings: Finding[] = [
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "any, with a mail server that replies twice",
    what: "After a mail server had replied twice to one message, later mails on that connection were recorded as failed, and sent again unmarked.",
    commit: "75bcc60f",
    test: "packages/providers/test/io/smtp.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "20261121, with moved clocks",
    what: "A live inbox got messages of the last minutes again after the clock of its process was put back.",
    commit: "9257bf91",
    test: "packages/server/test/pipeline/live/inbox.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "simulation",
    seed: "1021, with failing providers and killed processes",
    what: "An event that was canceled after its digest had closed was sent alone when the event that led the digest was canceled too.",
    commit: "0301786d",
    test: "packages/server/test/app/events/cancel-closed-digest.rest.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "20261119, an hour, with stop-thread and slow-network",
    what: "An event for a workflow that is off was stored twice when its client repeated the request, after 20 s without a response, while the first one was still stored.",
    commit: "76971b1b",
    test: "packages/server/test/store/events/refused-events.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "simulation",
    seed: "36, with a process that was killed during a call",
    what: "An attempt of a message that was canceled before another process took over kept no outcome for good.",
    commit: "0a3d3e3b",
    test: "packages/server/test/pipeline/deliver/faults.rest.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "simulation",
    seed: "1092, with a commit whose response was lost",
    what: "The result of a call was applied twice when the commit that stored it got no response, and the message was sent again.",
    commit: "12d89e55",
    test: "packages/server/test/store/queue/queue.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "simulation",
    seed: "528, with a process that was stopped until its claim had lapsed",
    what: "A process that had lost a task while it was stopped, and then took it again, could store the result of the first claim.",
    commit: "e80d89e9",
    test: "packages/server/test/store/queue/queue.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "13, with an upgrade, a killed process, a failover and lost responses of providers",
    what: "An SMS whose provider had accepted it without a response was retracted before its retry: the retraction said that it was canceled, and the explanation that it was not sent.",
    commit: "fcae2247",
    test: "packages/server/test/app/retractions/states.rest.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "33, with kill-process, stop-process, cut-network and connections",
    what: "The explanation of a step that was canceled while its provider was being called gave the provider's error as the reason, and said that the step would be repeated.",
    commit: "7eafd922",
    test: "packages/server/test/pipeline/rules/delivery-text.test.ts",
  },
  {
    foundOn: "2026-11-19",
    by: "run",
    seed: "11, with every kind of failure",
    what: "Retracting one event removed the in-app digest that its run led, with the other events in it. A later event with the same supersede key did the same.",
    commit: "61ac8e33",
    test: "packages/server/test/app/retractions/retractions.test.ts",
    explains: {
      seed: 20261121,
      date: "2026-11-19 12:49 UTC",
      breaks: { "digests-exact": 16 },
      how: "All 16 are 8 events, seen in lists and in rows. Each was in a digest that a client retracted by its first event, and each retraction falls into a time in which processes of 42ecd34c, the version before, were at work. They have this error: they removed the digest with the events of others in it. The version of this run, which has the fix, broke none.",
    },
  },
];
