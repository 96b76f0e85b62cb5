// The aliases: method and path of the older API, and which operations serve them. Single records are wrapped in `data`,
// as programs for that API read them; lists with pages are not.
import type { CallInput, Channel, PreferenceChannels, SubscriberPreferences, Workflow } from "@tidings/contract";
import { invalid } from "../../failure.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { Alias, AliasAnswer, Ask } from "./alias.ts";
import { readOffsetPage, readPage, walkPages } from "./pages.ts";

const wrap = (record: unknown, status = 200): AliasAnswer => ({ status, body: { data: record } });

type Body<Id extends Parameters<Ask>[0]> = CallInput<Id> extends { body: infer B } ? B : never;

/** The operations check what the caller sent: here it only changes its place. */
const bodyOf = <Id extends Parameters<Ask>[0]>(body: unknown): Body<Id> => body as Body<Id>;

const entriesPerRequest = 100;

const subscribers: Record<string, Alias> = {
  "GET /v1/subscribers": ({ query }, ask) =>
    readPage(query, "GET /v2/subscribers", (given) => ask("subscribers.list", { query: given })),
  "POST /v1/subscribers": async ({ body: { channels, ...body } }, ask) => {
    let record = await ask("subscribers.create", { body: bodyOf<"subscribers.create">(body) });
    const params = { subscriberId: record.subscriberId };
    for (const entry of Array.isArray(channels) ? channels : [])
      record = await ask("subscribers.replaceCredentials", {
        params,
        body: bodyOf<"subscribers.replaceCredentials">(entry),
      });
    return wrap(record, 201);
  },
  "GET /v1/subscribers/{subscriberId}": async ({ params }, ask) =>
    wrap(await ask("subscribers.retrieve", { params: { subscriberId: params.subscriberId! } })),
  "PUT /v1/subscribers/{subscriberId}": async ({ params, body }, ask) => {
    const input = { params: { subscriberId: params.subscriberId! }, body: bodyOf<"subscribers.update">(body) };
    return wrap(await ask("subscribers.update", input));
  },
  "DELETE /v1/subscribers/{subscriberId}": async ({ params }, ask) =>
    wrap(await ask("subscribers.delete", { params: { subscriberId: params.subscriberId! } })),
  "POST /v1/subscribers/{subscriberId}/messages/markAs": async ({ params, body }, ask) => {
    let marked: unknown;
    for (const markAs of marksOf(body.mark)) {
      const input = { messageId: body.messageId, markAs };
      marked = await ask("subscribers.markMessages", {
        params: { subscriberId: params.subscriberId! },
        body: bodyOf<"subscribers.markMessages">(input),
      });
    }
    return wrap(marked, 201);
  },
};

/** `unseen` includes unread, and `read` includes seen. A mark that says nothing is left to the operation to refuse. */
function marksOf(mark: unknown): (string | undefined)[] {
  const { seen, read } = isObject(mark) ? mark : {};
  if (seen === false) return ["unseen"];
  if (read === true) return ["read"];
  const marks = [...(seen === true ? ["seen"] : []), ...(read === false ? ["unread"] : [])];
  return marks.length > 0 ? marks : [undefined];
}

type Entry = SubscriberPreferences["workflows"][number];

const workflowEntry = ({ enabled, channels, workflow }: Entry) => ({
  preference: { enabled, channels },
  template: {
    ...{ _id: workflow.identifier, name: workflow.name, critical: false },
    triggers: [{ type: "event", identifier: workflow.identifier }],
  },
});
const globalEntry = ({ enabled, channels }: SubscriberPreferences["global"]) => ({ preference: { enabled, channels } });

const allChannels: readonly Channel[] = ["in_app", "email", "sms", "chat", "push"];

/** The older API switches a workflow, or everything, off as a whole: here that is each channel. */
function choicesOf(enabled: unknown, choices: unknown[]): PreferenceChannels {
  const whole = typeof enabled === "boolean" ? allChannels.map((channel) => [channel, enabled]) : [];
  const single = choices.filter(isObject).map(({ type, enabled: isOn }) => [String(type), isOn]);
  return Object.fromEntries(enabled === false || single.length === 0 ? [...single, ...whole] : single);
}

const preferences: Record<string, Alias> = {
  "GET /v1/subscribers/{subscriberId}/preferences": async ({ params }, ask) =>
    wrap((await readPreferences(ask, params)).workflows.map(workflowEntry)),
  "GET /v1/subscribers/{subscriberId}/preferences/{level}": async ({ params }, ask) => {
    const { global, workflows } = await readPreferences(ask, params);
    return wrap(params.level === "global" ? [globalEntry(global)] : workflows.map(workflowEntry));
  },
  "PATCH /v1/subscribers/{subscriberId}/preferences": async ({ params, body }, ask) => {
    const choices = Array.isArray(body.preferences) ? body.preferences : [];
    const { global } = await ask("subscribers.updatePreferences", {
      params: { subscriberId: params.subscriberId! },
      body: { channels: choicesOf(body.enabled, choices) },
    });
    return wrap(globalEntry(global));
  },
  "PATCH /v1/subscribers/{subscriberId}/preferences/{templateId}": async ({ params, body }, ask) => {
    const { subscriberId, templateId } = params as { subscriberId: string; templateId: string };
    const workflow = await ask("workflows.retrieve", { params: { workflowId: templateId } });
    const { workflows } = await ask("subscribers.updatePreferences", {
      params: { subscriberId },
      body: { workflowId: templateId, channels: choicesOf(body.enabled, [body.channel]) },
    });
    const entry = workflows.find((one) => one.workflow.identifier === workflow.workflowId);
    return wrap(entry && workflowEntry(entry));
  },
};

const readPreferences = (ask: Ask, params: Record<string, string>): Promise<SubscriberPreferences> =>
  ask("subscribers.retrievePreferences", { params: { subscriberId: params.subscriberId! } });

const topics: Record<string, Alias> = {
  "GET /v1/topics": ({ query: { pageSize, key, ...query } }, ask) =>
    readPage({ ...query, limit: pageSize ?? query.limit }, "GET /v2/topics", (given) =>
      ask("topics.list", { query: { ...given, ...(typeof key === "string" && { key }) } }),
    ),
  "POST /v1/topics": async ({ body }, ask) => {
    const input = { query: { failIfExists: true }, body: bodyOf<"topics.create">(body) };
    return wrap(await ask("topics.create", input), 201);
  },
  "GET /v1/topics/{topicKey}": async ({ params }, ask) => {
    const path = { topicKey: params.topicKey! };
    const topic = await ask("topics.retrieve", { params: path });
    const members = await walkPages((query) => ask("topicSubscriptions.list", { params: path, query }));
    return wrap({ ...topic, subscribers: [...new Set(members.map(({ subscriber }) => subscriber.subscriberId))] });
  },
  "PATCH /v1/topics/{topicKey}": async ({ params, body }, ask) => {
    const input = { params: { topicKey: params.topicKey! }, body: bodyOf<"topics.update">(body) };
    return wrap(await ask("topics.update", input));
  },
  "DELETE /v1/topics/{topicKey}": async ({ params }, ask) => {
    await ask("topics.delete", { params: { topicKey: params.topicKey! } });
    return { status: 204 };
  },
  "POST /v1/topics/{topicKey}/subscribers": async ({ params, body }, ask) => {
    const path = { topicKey: params.topicKey! };
    await ask("topics.retrieve", { params: path });
    const [succeeded, notFound]: [string[], string[]] = [[], []];
    for (const subscriptions of portionsOf(body.subscribers)) {
      const { data, errors = [] } = await ask("topicSubscriptions.create", { params: path, body: { subscriptions } });
      succeeded.push(...data.map(({ subscriber }) => subscriber.subscriberId));
      notFound.push(...errors.flatMap(({ subscriberId }) => subscriberId ?? []));
    }
    return wrap({ succeeded, ...(notFound.length > 0 && { failed: { notFound } }) });
  },
  "POST /v1/topics/{topicKey}/subscribers/removal": async ({ params, body }, ask) => {
    for (const subscriptions of portionsOf(body.subscribers))
      await ask("topicSubscriptions.delete", {
        params: { topicKey: params.topicKey! },
        body: bodyOf<"topicSubscriptions.delete">({ subscriptions }),
      });
    return { status: 204 };
  },
};

function portionsOf(list: unknown): string[][] {
  if (!Array.isArray(list) || list.length === 0)
    throw invalid({ subscribers: { messages: ["subscribers must be a list of subscriber ids"] } });
  return Array.from({ length: Math.ceil(list.length / entriesPerRequest) }, (_, at) =>
    list.slice(at * entriesPerRequest, (at + 1) * entriesPerRequest),
  );
}

/** A workflow as the older API shows it. Its steps have the members of the newer one. */
const templateOf = (workflow: Pick<Workflow, "workflowId" | "status"> & JsonObject) => ({
  ...workflow,
  active: workflow.status === "ACTIVE",
  draft: false,
  triggers: [{ type: "event", identifier: workflow.workflowId, variables: [] }],
});

const templates: Record<string, Alias> = {
  "GET /v1/notification-templates": ({ query }, ask) =>
    readOffsetPage(query, async (given) => {
      const { workflows, totalCount } = await ask("workflows.list", { query: given });
      return { items: workflows.map(templateOf), totalCount };
    }),
  "GET /v1/notification-templates/{templateId}": async ({ params }, ask) =>
    wrap(templateOf(await ask("workflows.retrieve", { params: { workflowId: params.templateId! } }))),
  "DELETE /v1/notification-templates/{templateId}": async ({ params }, ask) => {
    await ask("workflows.delete", { params: { workflowId: params.templateId! } });
    return wrap(true);
  },
  "PUT /v1/notification-templates/{templateId}/status": async ({ params, body: { active } }, ask) => {
    const input = { params: { workflowId: params.templateId! }, body: bodyOf<"workflows.patch">({ active }) };
    return wrap(templateOf(await ask("workflows.patch", input)));
  },
};

const layouts: Record<string, Alias> = {
  /** The SDK asks for one layout with this query. */
  "GET /v1/layouts": async ({ query }, ask) => {
    if (typeof query.layoutId === "string")
      return wrap(await ask("layouts.retrieve", { params: { layoutId: query.layoutId } }));
    return readOffsetPage({ ...query, limit: query.pageSize ?? query.limit }, async (given) => {
      const { layouts, totalCount } = await ask("layouts.list", { query: given });
      return { items: layouts.map((layout) => ({ ...layout, identifier: layout.layoutId })), totalCount };
    });
  },
  "GET /v1/layouts/{layoutId}": async ({ params }, ask) =>
    wrap(await ask("layouts.retrieve", { params: { layoutId: params.layoutId! } })),
  "DELETE /v1/layouts/{layoutId}": async ({ params }, ask) => {
    await ask("layouts.delete", { params: { layoutId: params.layoutId! } });
    return { status: 204 };
  },
};

const others: Record<string, Alias> = {
  "GET /v1/environments/me": async (_request, ask) => {
    const environments = await ask("environments.list");
    return wrap(environments.find(({ apiKeys }) => apiKeys !== undefined));
  },
  "GET /v1/execution-details": async ({ query }, ask) => {
    if (typeof query.notificationId !== "string" || query.notificationId === "")
      throw invalid({ notificationId: { messages: ["notificationId is required"] } });
    const { jobs = [] } = await ask("notifications.retrieve", { params: { notificationId: query.notificationId } });
    return wrap(jobs.flatMap(({ executionDetails }) => executionDetails));
  },
};

export const aliases: Readonly<Record<string, Alias>> = {
  ...subscribers,
  ...preferences,
  ...topics,
  ...templates,
  ...layouts,
  ...others,
};
