// What runs have found, and what was done about it. Written by hand: the report includes it, newest first.

export type Finding = {
  /** The day, as 2026-11-18. */
  foundOn: string;
  /** The seed with which it was seen, and the kinds of failures that were in effect. */
  seed: string;
  /** What was wrong, in a sentence that a user of the service understands. */
  what: string;
  /** The commit that fixed it; `open` if none has yet, and the report says so. */
  commit: string;
  /** The path of the test that fails without the fix. */
  test?: string;
};

export const findings: Finding[] = [
  {
    foundOn: "2026-11-19",
    seed: "13, with upgrade, kill-process, failover and provider-loses-answers",
    what: "An SMS whose provider had accepted it without a response was retracted before its retry: the retraction said that it was canceled, and the explanation that it was not sent.",
    commit: "fcae2247",
    test: "packages/server/test/app/retractions/states.test.ts",
  },
  {
    foundOn: "2026-11-19",
    seed: "33, with kill-process, stop-process, cut-network and connections",
    what: "The explanation of a step that was canceled while its provider was being called gave the provider's error as the reason, and said that the step would be repeated.",
    commit: "7eafd922",
    test: "packages/server/test/pipeline/rules/delivery-text.test.ts",
  },
  {
    foundOn: "2026-11-19",
    seed: "11, with every kind of failure",
    what: "Retracting one event removed the in-app digest that its run led, with the other events in it. A later event with the same supersede key did the same.",
    commit: "61ac8e33",
    test: "packages/server/test/app/retractions/retractions.test.ts",
  },
];
