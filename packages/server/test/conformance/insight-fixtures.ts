// Good inputs of the operations that show what the service does: previews, versions, activity, statistics.
import type { OperationId } from "@tidings/contract";
import { settled, trigger } from "@tidings/testkit/verbs";
import { branchSteps, type Fixture, listOf, nothing, ofEnvironment, threeEvents, withBody } from "./inputs.ts";
import type { World } from "./world.ts";

/** A workflow with three versions; the second and third have a branch. */
async function versioned(w: World) {
  const { workflowId, name, origin, steps } = await w.workflow();
  const { categoryId } = await w.category();
  const settings = { categoryId, isCommercial: true, messageClass: "promotional", priority: "low" } as const;
  const body = { name, origin, preferences: {}, steps: [...steps, ...branchSteps], ...settings };
  await w.client("workflows.update", { params: { workflowId }, body });
  await w.client("workflows.patch", { params: { workflowId }, body: { name: "Third" } });
  return { workflowId };
}
const makers = new WeakMap<World, () => ReturnType<typeof versioned>>();
function ofVersions(w: World) {
  const make = makers.get(w) ?? (() => versioned(w));
  makers.set(w, make);
  return w.once(make);
}
const ofVersion: Fixture = async (w) => ({ params: { ...(await ofVersions(w)), versionId: "2" } });

/** A captured mail with an attachment. */
const ofCaptured: Fixture = async (w) => {
  const { workflowId } = await w.once(w.workflow);
  const { subscriberId } = await w.subscriber();
  const attachments = [{ name: "note.txt", mime: "text/plain", file: "SGVsbG8=" }];
  const transactionId = await trigger(w.client, workflowId, subscriberId, { name: "Ada", attachments });
  await settled(w.client, transactionId);
  const { data } = (await w.client("captured.list", { query: { transactionId } })).body;
  return { params: { id: data[0]!.id } };
};

/** A workflow with another name, and one that is new. */
async function wantedFiles(w: World) {
  const { workflowId } = await w.once(w.workflow);
  const { fingerprint, resources } = (await w.client("files.export")).body;
  const known = resources.workflows!.map((file) =>
    file.workflowId === workflowId ? { ...file, name: w.unique("n") } : file,
  );
  const made = { workflowId: w.unique("made"), name: "Made", steps: [] };
  return { resources: { workflows: [...known, made] }, expectedFingerprint: fingerprint, pulled: {} };
}

export const insightFixtures: Partial<Record<OperationId, Fixture>> = {
  "files.export": async (w) => {
    await w.once(w.workflow);
    return {};
  },
  "files.plan": async (w) => ({ body: await wantedFiles(w) }),
  "files.apply": async (w) => ({ body: await wantedFiles(w) }),
  "workflows.preview": async (w) => ({
    body: {
      step: {
        type: "in_app",
        controlValues: {
          subject: "Hi",
          body: "{{payload.name}} {{payload.name | nofilter}}",
          avatar: "https://example.com/a.png",
          redirect: { url: "/orders" },
          primaryAction: { label: "Open", redirect: { url: "/orders" } },
          secondaryAction: { label: "Later" },
          data: { a: "{{payload.name}}" },
        },
      },
      workflowId: (await w.once(w.workflow)).workflowId,
      subscriberId: (await w.once(w.event)).subscriberId,
      payload: { name: "Ada" },
    },
  }),
  "subscribers.match": async (w) => ({
    body: {
      condition: { "==": [{ var: "subscriber.firstName" }, "Ada"] },
      workflowId: (await w.once(w.workflow)).workflowId,
      payload: { total: 3 },
    },
  }),
  "activity.listEvents": listOf(threeEvents),
  "digests.list": listOf((w) => w.digest()),
  "digests.retrieve": async (w) => ({ params: { id: (await w.once(w.digest)).id } }),
  "digests.closeOne": async (w) => ({ params: { id: (await w.digest()).id } }),
  "workflows.retrieveInFlight": async (w) => ({ params: { workflowId: (await w.once(w.waiting)).workflowId } }),
  "workflows.retrieveObjectives": async (w) => {
    const { workflowId } = await w.workflow();
    const objectives = { handedOver: { percent: 99, withinSeconds: 10 as const }, delivered: { percent: 98 } };
    await w.client("workflows.patch", { params: { workflowId }, body: { objectives } });
    await settled(w.client, await trigger(w.client, workflowId, (await w.subscriber()).subscriberId, { name: "Ada" }));
    return { params: { workflowId } };
  },
  "workflows.retrieveExperiments": async (w) => {
    const variants = [{ id: "a", name: "Short" }, { id: "b" }];
    const controlValues = { variants, holdOutPercent: 10, goals: ["bought"] };
    const { workflowId } = await w.workflow([{ name: "Which", stepId: "which", type: "experiment", controlValues }]);
    const { subscriberId } = await w.subscriber();
    await settled(w.client, await trigger(w.client, workflowId, subscriberId, { name: "Ada" }));
    return { params: { workflowId }, query: { stepId: "which", goalDays: "7" } };
  },
  "statistics.list": async (w) => {
    await w.once(w.event);
    return { query: { breakdown: "true" } };
  },
  "system.retrieve": nothing,
  "environments.retrieveTimeline": async (w) => {
    await w.once(w.event);
    // A new one: the clock of the environment may have passed the time of an older one, which then closes any moment.
    await w.digest();
    await w.once(w.waiting);
    return ofEnvironment(w);
  },
  "captured.retrieve": ofCaptured,
  "captured.deleteOne": ofCaptured,
  "captured.retrieveAttachment": async (w) => {
    const { params } = await ofCaptured(w);
    return { params: { ...params, index: "0" } };
  },
  "workflows.listVersions": async (w) => ({ params: await ofVersions(w) }),
  "workflows.retrieveVersion": ofVersion,
  "workflows.diffVersions": async (w) => {
    const { workflowId, steps, name, origin } = await w.workflow();
    const edited = [
      { ...steps[1]!, controlValues: { subject: "New" } },
      { name: "Text", type: "sms" as const },
    ];
    await w.client("workflows.update", {
      params: { workflowId },
      body: { name: `${name}!`, origin, preferences: {}, steps: edited as never },
    });
    return { params: { workflowId, fromVersionId: "1", toVersionId: "2" } };
  },
  "workflows.restoreVersion": ofVersion,
  "workflows.duplicate": withBody(async (w) => ({ params: await ofVersions(w) }), {
    name: "Copied",
    description: "A copy",
    tags: ["copy"],
  }),
};
