// Backtests: what a change would have done to the events of the past days. Nothing is sent, and nothing but the
// backtest itself is written. What they return: backtest.ts.
import { pageEnvelope, pageQuery } from "../../common.ts";
import { operation } from "../../operation.ts";
import { named, nullableString, Type } from "../../schema.ts";
import { Backtest, BacktestEffectWord, BacktestIn, BacktestMessage, BacktestPerson } from "./backtest.ts";

const backtestPath = Type.Object({ backtestId: Type.String() });
const personPath = Type.Object({ ...backtestPath.properties, subscriberId: Type.String() });

export const backtestOperations = {
  "backtests.create": operation({
    id: "backtests.create",
    method: "POST",
    path: "/v2/backtests",
    summary: "Try a change on the events of the past days",
    description:
      "Replays the stored events, signals and marks of the period person by person, with and without the change, and " +
      "compares the messages. Works in the background; `backtests.get` returns the progress and the report. No " +
      "provider, bridge or address of an HTTP step is called. One backtest of an environment runs at a time.",
    category: "configuration",
    body: BacktestIn,
    success: { status: 202, schema: Backtest },
    errors: [
      "BACKTEST_RUNNING",
      "BACKTEST_TEST_CLOCK",
      "BACKTEST_EMPTY",
      "WORKFLOW_IN_CODE",
      "FILES_HAVE_ISSUES",
      "TOO_MANY_FILES",
      "CATEGORY_LIMIT",
      "AUDIENCE_LIMIT",
    ],
    bodyLimit: "bulk",
  }),
  "backtests.list": operation({
    id: "backtests.list",
    method: "GET",
    path: "/v2/backtests",
    summary: "List backtests, newest first",
    description: "Kept for 14 days. Without their reports, which `backtests.get` returns.",
    category: "configuration",
    query: Type.Object(pageQuery({ default: 20, maximum: 100 })),
    success: { status: 200, schema: Type.Object(pageEnvelope(Backtest), { title: "BacktestList" }) },
    errors: [],
  }),
  "backtests.get": operation({
    id: "backtests.get",
    method: "GET",
    path: "/v2/backtests/{backtestId}",
    summary: "Retrieve a backtest with its progress and report",
    category: "configuration",
    params: backtestPath,
    success: { status: 200, schema: Backtest },
    errors: ["BACKTEST_NOT_FOUND"],
  }),
  "backtests.cancel": operation({
    id: "backtests.cancel",
    method: "POST",
    path: "/v2/backtests/{backtestId}/cancel",
    summary: "Cancel a backtest that runs",
    description: "Its rows are deleted at once: it is returned here for the last time.",
    category: "configuration",
    params: backtestPath,
    success: { status: 200, schema: Backtest },
    errors: ["BACKTEST_NOT_FOUND", "BACKTEST_ENDED"],
  }),
  "backtests.delete": operation({
    id: "backtests.delete",
    method: "DELETE",
    path: "/v2/backtests/{backtestId}",
    summary: "Delete a backtest",
    description: "With everything that belongs to it. One that runs is canceled.",
    category: "configuration",
    params: backtestPath,
    success: { status: 204 },
    errors: ["BACKTEST_NOT_FOUND"],
  }),
  "backtests.people": operation({
    id: "backtests.people",
    method: "GET",
    path: "/v2/backtests/{backtestId}/people",
    summary: "List the people of whom a message differs",
    description: "In the order of their ids. At most 20,000 messages of a backtest are listed; all are counted.",
    category: "configuration",
    params: backtestPath,
    query: Type.Object({
      effect: Type.Optional(BacktestEffectWord),
      workflowId: Type.Optional(Type.String({ minLength: 1 })),
      after: Type.Optional(Type.String({ minLength: 1, description: "`next` of the page before" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    }),
    success: {
      status: 200,
      schema: named("BacktestPeople", {
        data: Type.Array(BacktestPerson),
        next: nullableString({ description: "For `after`; null: this is the last page" }),
        isCapped: Type.Boolean({ description: "true: more messages differ than are listed" }),
      }),
    },
    errors: ["BACKTEST_NOT_FOUND"],
  }),
  "backtests.person": operation({
    id: "backtests.person",
    method: "GET",
    path: "/v2/backtests/{backtestId}/people/{subscriberId}",
    summary: "Show the messages of one person with and without the change",
    description:
      "The person is replayed again, so contents are those of today's data and are stored nowhere. At most 200 " +
      "messages, those that differ first.",
    category: "configuration",
    params: personPath,
    query: Type.Object({
      all: Type.Optional(Type.Boolean({ default: false, description: "Also messages without a difference" })),
    }),
    success: {
      status: 200,
      schema: named("BacktestOfPerson", {
        subscriberId: Type.String(),
        name: nullableString({ description: "First and last name" }),
        messages: Type.Array(BacktestMessage),
        isTruncated: Type.Boolean({ description: "true: the person has more messages" }),
      }),
    },
    errors: ["BACKTEST_NOT_FOUND", "SUBSCRIBER_NOT_FOUND", "BACKTEST_TEST_CLOCK"],
  }),
};
