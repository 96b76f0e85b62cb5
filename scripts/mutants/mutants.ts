// Mutants as a tired developer makes them, one in each room of the code: a wrong unit, a swapped argument, a check that
// was left out. run.ts plants them one after the other and looks which tests find them. None was chosen because a test
// is known to find it.
import { readFileSync } from "node:fs";

/** `before` occurs exactly once in the file. `harm`: what a user would see. */
export type Mutant = { id: string; room: string; file: string; before: string; after: string; harm: string };

const server = "packages/server/src";

export const mutants: Mutant[] = [
  {
    id: "cron-next-minute",
    room: "contract",
    file: "packages/contract/src/cron.ts",
    before: "(hour * 60 + one) * minute >= earliest",
    after: "(hour * 60 + one) * minute > earliest",
    harm: "A digest that is due within the next minute waits for the following time, perhaps a week.",
  },
  {
    id: "retry-after-unit",
    room: "client",
    file: "packages/client/src/request.ts",
    before: "retryAfter * 1_000",
    after: "retryAfter",
    harm: "A client that is told to wait ten seconds has used up its retries after a few milliseconds.",
  },
  {
    id: "schedule-not-imported",
    room: "cli",
    file: "packages/cli/src/import/preferences.ts",
    before: "if (refused.length === 0 && !schedule) return false;",
    after: "if (refused.length === 0) return false;",
    harm: "An import leaves out the schedule of people who have switched no channel off, so they get messages at night.",
  },
  {
    id: "refused-token-kept",
    room: "providers",
    file: "packages/providers/src/kit/token.ts",
    before: "io.forget(key);",
    after: "",
    harm: "Once a provider ends an access token early, all messages through it fail until the token would have expired.",
  },
  {
    id: "inbox-tab-all-tags",
    room: "inbox",
    file: "packages/inbox/src/client/list.ts",
    before: "tags.some((tag) => item.tags?.includes(tag))",
    after: "tags.every((tag) => item.tags?.includes(tag))",
    harm: "A tab of the inbox with two tags hides the messages that have only one of them.",
  },
  {
    id: "blames-provider",
    room: "dashboard",
    file: "packages/dashboard/src/screens/statistics/judgement.ts",
    before: "first.refused >= mostOf * failed",
    after: "first.refused >= mostOf * refused",
    harm: "Statistics name a provider as the cause of most failures when most messages failed before any provider.",
  },
  {
    id: "cached-key-unchecked",
    room: "http",
    file: `${server}/http/auth/api-keys.ts`,
    before: "if (cached) return admit(ctx, cached, operation, address);",
    after: "if (cached) return recordUse(ctx, cached);",
    harm: "An API key with few rights may call everything, from anywhere, once it has made one permitted request.",
  },
  {
    id: "mcp-same-cursor",
    room: "http/mcp",
    file: `${server}/http/mcp/tools/dead-letters.ts`,
    before: "page + 1",
    after: "page",
    harm: "An assistant that pages through dead letters gets the same page again and again.",
  },
  {
    id: "copy-without-texts",
    room: "app/workflows",
    file: `${server}/app/workflows/versions.ts`,
    before: "{ from: resource(original.id), to: resource(row.id), now: ctx.now() }",
    after: "{ from: resource(row.id), to: resource(original.id), now: ctx.now() }",
    harm: "The copy of a workflow has no translations, so everyone gets its messages in one language.",
  },
  {
    id: "links-of-former-owner",
    room: "app/members",
    file: `${server}/app/members/members.ts`,
    before: "await deleteLinksMadeBy(ctx.db, caller.organizationId, row.id);",
    after: "",
    harm: "Someone who is no longer an owner gets back in as one, with an invitation made before.",
  },
  {
    id: "choice-for-all-tenants",
    room: "app/subscribers",
    file: `${server}/app/subscribers/preferences.ts`,
    before: "saveChoices(ctx, subscriber, contextKeys, [{",
    after: "saveChoices(ctx, subscriber, [], [{",
    harm: "What a person switches off for one context is switched off for all of them.",
  },
  {
    id: "first-value-wins",
    room: "pipeline/trigger",
    file: `${server}/pipeline/trigger/recipient-entries.ts`,
    before: "{ ...valid.get(id), ...recipient }",
    after: "{ ...recipient, ...valid.get(id) }",
    harm: "Of a recipient that an event names twice, the older email address is stored and written to.",
  },
  {
    id: "digest-count-capped",
    room: "pipeline/run",
    file: `${server}/pipeline/run/digests.ts`,
    before: "own.eventCount + (members[0]?.event_count ?? 0)",
    after: "own.eventCount + members.length",
    harm: "A digest of more events than it lists says too small a number: 100 comments instead of 340.",
  },
  {
    id: "look-back-unit",
    room: "pipeline/steps",
    file: `${server}/pipeline/steps/wait.ts`,
    before: "back * 60_000",
    after: "back * 1_000",
    harm: "A wait overlooks the signal of ten minutes ago, and a person who has paid is reminded to pay.",
  },
  {
    id: "unknown-then-failover",
    room: "pipeline/deliver",
    file: `${server}/pipeline/deliver/retry.ts`,
    before: "tried, tried.hadUnknown)",
    after: "tried, false)",
    harm: "A message that may have been sent goes out through another provider, although its workflow allows no duplicate.",
  },
  {
    id: "window-amount-ignored",
    room: "pipeline/attention",
    file: `${server}/pipeline/attention/windows.ts`,
    before: "({ amount, unit }: AttentionWindow): number => amount * lengths[unit]",
    after: "({ unit }: AttentionWindow): number => lengths[unit]",
    harm: "A budget of three messages in seven days lets three through every day.",
  },
  {
    id: "critical-with-category",
    room: "pipeline/rules",
    file: `${server}/pipeline/rules/preferences.ts`,
    before: "const category = isCriticalWorkflow(levels) ? null : levels.category;",
    after: "const category = levels.category;",
    harm: "A critical workflow, such as a password reset, is not sent when its category has the channel off by default.",
  },
  {
    id: "earliest-zone",
    room: "pipeline/broadcasts",
    file: `${server}/pipeline/broadcasts/schedule.ts`,
    before: "const earliestZone = 14 * hour;",
    after: "const earliestZone = 12 * hour;",
    harm: "A broadcast at 9 in the morning of each person reaches people in Tonga an hour late.",
  },
  {
    id: "page-repeats-person",
    room: "store/audiences",
    file: `${server}/store/audiences/people.ts`,
    before: "and s.id > ",
    after: "and s.id >= ",
    harm: "The last person of each page of an audience is listed again on the next page.",
  },
  {
    id: "busy-without-active",
    room: "store/queue",
    file: `${server}/store/queue/queue.ts`,
    before: "and state < 'completed' limit 1",
    after: "and state < 'active' limit 1",
    harm: "A test clock says that it has moved while messages are still being sent, so whoever looks then misses them.",
  },
  {
    id: "suppressed-everywhere",
    room: "store",
    file: `${server}/store/subscribers/suppressions.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source
    before: "join suppressions s on s.environment_id = ${environmentId} and s.channel = r.channel",
    after: "join suppressions s on s.channel = r.channel",
    harm: "An address that bounced in Development gets no mail in Production any more.",
  },
  {
    id: "private-network-open",
    room: "lib",
    file: `${server}/lib/url-guard.ts`,
    before: '"172.16.0.0/12"',
    after: '"172.16.0.0/16"',
    harm: "Whoever may edit a workflow can call servers of the internal network, such as those of Docker.",
  },
];

/** Of all mutants, the gate may miss so many. */
export const mostMissed = 3;

/** Where the list no longer fits the code: a line that was changed needs another mutant. */
export function staleMutants(): string[] {
  return mutants.flatMap(({ id, file, before, after }) => {
    const times = readFileSync(file, "utf8").split(before).length - 1;
    if (times !== 1) return [`${id}: ${file} has its text ${times} times, not once: ${before}`];
    return before === after ? [`${id}: changes nothing`] : [];
  });
}
