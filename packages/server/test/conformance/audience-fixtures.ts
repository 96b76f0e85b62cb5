// Good inputs of the operations on audiences and broadcasts.
import type { BroadcastCheck, OperationId } from "@tidings/contract";
import { eventually } from "@tidings/testkit/wait";
import { type Fixture, listOf, withBody } from "./inputs.ts";
import type { World } from "./world.ts";

const rule = { "==": [{ var: "subscriber.data.plan" }, "pro"] };

/** With a rule. In these worlds it may match every subscriber. */
const ruled = async (w: World) => {
  const body = { audienceId: w.unique("audience"), name: "Pro", description: "Who pays", rule, allowEveryone: true };
  return (await w.client("audiences.create", { body })).body;
};

/** A fixed one with three people. */
const fixed = async (w: World) => {
  const audienceId = w.unique("audience");
  await w.client("audiences.create", { body: { audienceId, name: "Guests" } });
  const people = await Promise.all([w.subscriber(), w.subscriber(), w.subscriber()]);
  const subscriberIds = people.map(({ subscriberId }) => subscriberId);
  await w.client("audiences.addMembers", { params: { audienceId }, body: { subscriberIds } });
  return { audienceId, subscriberIds };
};

const later = () => new Date(Date.now() + 3_600_000).toISOString();

async function draftBody(w: World) {
  const { audienceId } = await fixed(w);
  const { workflowId } = await w.workflow();
  return {
    name: "Spring release",
    content: { workflowId, payload: { name: "Ada" } },
    audience: { include: [audienceId], exclude: [(await ruled(w)).audienceId] },
    time: { kind: "at" as const, at: later(), timezone: "Europe/Berlin", spreadHours: 1 },
    pace: { perMinute: 100, integrations: { "svc-email-default": 50 } },
    expiresAt: "2100-01-01T00:00:00.000Z",
  };
}
const draft = async (w: World) => (await w.client("broadcasts.create", { body: await draftBody(w) })).body;

async function send(w: World, body: object) {
  const made = (await w.client("broadcasts.create", { body: body as never })).body;
  return (await w.client("broadcasts.send", { params: { broadcastId: made._id } })).body;
}

/** Three people got it, with steps written in place and variants. One has no address. */
async function completed(w: World) {
  const { audienceId, subscriberIds } = await fixed(w);
  await w.client("subscribers.update", { params: { subscriberId: subscriberIds[0]! }, body: { email: null } });
  const controlValues = { variants: [{ id: "a", name: "Short" }, { id: "b" }] };
  const steps = [
    { name: "Which", stepId: "which", type: "experiment", controlValues },
    { name: "Note", stepId: "note", type: "in_app", controlValues: { body: "Version {{ payload.version }}" } },
    { name: "Mail", stepId: "mail", type: "email", controlValues: { subject: "New", body: "<p>New</p>" } },
  ];
  const content = { steps, payload: { version: "4.0" } };
  const { _id: broadcastId } = await send(w, { name: "News", content, audience: { include: [audienceId] } });
  return eventually(async () => {
    const { body } = await w.client("broadcasts.retrieveResults", { params: { broadcastId } }).catch(() => ({
      body: null,
    }));
    return body?.outcomes.sent === 3 && body.outcomes.skipped === 1 ? { broadcastId } : null;
  }, "the results of a broadcast");
}

/** A person has asked for approval: keys have one name, so none of them can approve what another one sent. */
async function awaiting(w: World) {
  const { _id: broadcastId } = await draft(w);
  const asked = { requestedBy: "editor@example.com", requestedAt: new Date().toISOString() };
  const approval = { ...asked, decidedBy: null, decidedAt: null, isApproved: null, note: null };
  const change = { status: "awaiting_approval" as const, approval: JSON.stringify(approval) as never };
  await w.db.updateTable("broadcasts").set(change).where("id", "=", broadcastId).execute();
  return { params: { broadcastId } };
}

async function checked(w: World): Promise<{ params: { broadcastId: string } }> {
  const params = { broadcastId: (await draft(w))._id };
  await w.client("broadcasts.check", { params });
  await eventually(async () => {
    const body: BroadcastCheck = (await w.client("broadcasts.retrieveCheck", { params })).body;
    return body.status === "completed" || null;
  }, "a check");
  return { params };
}

const ofAudience: Fixture = async (w) => ({ params: { audienceId: (await ruled(w)).audienceId } });
const ofMembers: Fixture = async (w) => {
  const { audienceId, subscriberIds } = await fixed(w);
  return { params: { audienceId }, body: { subscriberIds: [...subscriberIds, (await w.subscriber()).subscriberId] } };
};
const ofDraft: Fixture = async (w) => ({ params: { broadcastId: (await draft(w))._id } });
const ofScheduled: Fixture = async (w) => ({ params: { broadcastId: (await send(w, await draftBody(w)))._id } });
const ofCompleted: Fixture = async (w) => ({ params: { broadcastId: (await w.once(makerOf(w))).broadcastId } });
const ofPeople = withBody(ofDraft, async (w: World) => ({ subscriberIds: [(await w.subscriber()).subscriberId] }));

const makers = new WeakMap<World, () => ReturnType<typeof completed>>();
function makerOf(w: World) {
  const make = makers.get(w) ?? (() => completed(w));
  makers.set(w, make);
  return make;
}

export const audienceFixtures: Partial<Record<OperationId, Fixture>> = {
  "audiences.list": listOf(ruled),
  "audiences.create": async (w) => {
    const { audienceId } = await ruled(w);
    const member = { in: [audienceId, { var: "audiences" }] };
    return { body: { audienceId: w.unique("audience"), name: "Inner", rule: member, allowEveryone: true } };
  },
  "audiences.preview": async (w) => {
    const { audienceId } = await ruled(w);
    await w.subscriber();
    return { body: { rule: { and: [rule, { in: [w.unique("topic"), { var: "topics" }] }] }, audienceId } };
  },
  "audiences.retrieve": ofAudience,
  "audiences.update": withBody(ofAudience, { name: "Renamed", description: null, rule, allowEveryone: true }),
  "audiences.delete": ofAudience,
  "audiences.count": ofAudience,
  "audiences.listPeople": async (w) => ({ params: { audienceId: (await fixed(w)).audienceId } }),
  "audiences.explain": async (w) => {
    const { params } = await ofAudience(w);
    return { params: { ...params, subscriberId: (await w.subscriber()).subscriberId } };
  },
  "audiences.addMembers": ofMembers,
  "audiences.removeMembers": ofMembers,
  "audiences.snapshot": withBody(ofAudience, (w: World) => ({ audienceId: w.unique("audience"), name: "Kept" })),
  "broadcasts.list": listOf(draft),
  "broadcasts.create": async (w) => ({ body: await draftBody(w) }),
  "broadcasts.retrieve": ofCompleted,
  "broadcasts.update": withBody(ofDraft, {
    name: "Renamed",
    audience: { include: [], everyone: true },
    time: { kind: "local", date: "2099-12-31", localTime: "09:00" },
    pace: {},
    expiresAt: null,
  }),
  "broadcasts.delete": ofDraft,
  "broadcasts.send": ofDraft,
  "broadcasts.approve": awaiting,
  "broadcasts.reject": withBody(awaiting, { note: "Wrong week" }),
  "broadcasts.pause": ofScheduled,
  "broadcasts.resume": async (w) => {
    const { params } = await ofScheduled(w);
    await w.client("broadcasts.pause", { params: params as { broadcastId: string } });
    return { params };
  },
  "broadcasts.stop": ofScheduled,
  "broadcasts.check": ofDraft,
  "broadcasts.retrieveCheck": checked,
  "broadcasts.preview": ofPeople,
  "broadcasts.test": ofPeople,
  "broadcasts.retrieveResults": ofCompleted,
  "broadcasts.listPeople": ofCompleted,
  "broadcasts.resend": withBody(ofCompleted, { outcome: "not_opened" }),
};
