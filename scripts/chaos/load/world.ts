// The two environments of the load. People, topics and workflows have the same identifiers in both, so that a mix-up of
// environments would go unnoticed by the service; the people's data and the texts are different, so that the auditor
// notices it.
import { createHmac } from "node:crypto";
import { type Client, createClient } from "@tidings/testkit/client";
import type { Environment, Person, Run } from "../../auditor/evidence.ts";
import type { LoadOptions, Stage } from "../parts.ts";
import { createIntegrations, type Ports } from "./integrations.ts";
import { createWorkflows, workflows } from "./workflows.ts";

export type LoadEnvironment = Environment & {
  apiKey: string;
  /** What an inbox session is opened with. */
  identifier: string;
  /** A client of the first process. It never repeats a request, so it is for the time before and after the faults. */
  client: Client;
  /** People who get some events strictly one after the other. */
  ordered: string[];
  /** People whose events are collected. Few, so that a digest has several events. */
  collecting: string[];
  /** The members of the audience of broadcasts. */
  invited: string[];
  /** People with a live inbox, among them those of `ordered`. */
  live: string[];
};

/** The audience of broadcasts. */
export const audienceId = "invited";
const peopleCount = 60;
const orderedCount = 4;
const collectingCount = 6;

export async function createEnvironments(stage: Stage, ports: Ports, options: LoadOptions): Promise<LoadEnvironment[]> {
  const url = stage.urls[0]!;
  const first = createClient({ baseUrl: url, apiKey: stage.apiKey });
  const known = (await first("environments.list")).body;
  const own = known.find(({ apiKeys }) => apiKeys?.length)!;
  const added = (await first("environments.create", { body: { name: "South", color: "#123456" } })).body;
  const liveCount = Math.min(peopleCount, Math.ceil(options.inboxes / 2));
  const north = { id: own._id, identifier: own.identifier, apiKey: stage.apiKey };
  const south = { id: added._id, identifier: added.identifier, apiKey: added.apiKeys![0]!.key };
  const environments = [];
  for (const [index, name] of ["north", "south"].entries()) {
    const keys = index === 0 ? north : south;
    const client = createClient({ baseUrl: url, apiKey: keys.apiKey });
    environments.push(await furnish({ name, ...keys, client }, { index, liveCount, ports }));
  }
  return environments;
}

type Bare = Pick<LoadEnvironment, "name" | "id" | "identifier" | "apiKey" | "client">;
type Furnishing = { index: number; liveCount: number; ports: Ports };

async function furnish(bare: Bare, { index, liveCount, ports }: Furnishing): Promise<LoadEnvironment> {
  const { client } = bare;
  const people = Array.from({ length: peopleCount }, (_, n) => describePerson(bare.name, index, n));
  await createIntegrations(client, ports);
  const subscribers = people.map((person, n) => ({ ...person, firstName: `${bare.name} ${n}` }));
  await client("subscribers.createBulk", { body: { subscribers } });
  await createWorkflows({ client, people }, index === 0 ? "drop" : "roll_up");
  const ids = people.map(({ subscriberId }) => subscriberId);
  const topics = describeTopics(ids, index);
  for (const { key, members } of topics) {
    await client("topicSubscriptions.create", { params: { topicKey: key }, body: { subscriberIds: members } });
  }
  const invited = ids.filter((_, n) => n % 4 === index);
  await client("audiences.create", { body: { audienceId, name: "Invited" } });
  await client("audiences.addMembers", { params: { audienceId }, body: { subscriberIds: invited } });
  return {
    ...{ ...bare, people, topics, invited },
    ordered: ids.slice(0, orderedCount),
    collecting: ids.slice(orderedCount, orderedCount + collectingCount),
    live: ids.slice(0, liveCount),
  };
}

function describePerson(environment: string, index: number, n: number): Person {
  const number = String(n).padStart(2, "0");
  const subscriberId = `person-${number}`;
  return {
    subscriberId,
    email: `${subscriberId}@${environment}.example.com`,
    phone: `+4915${index + 1}000000${number}`,
  };
}

/** A topic has other members in the other environment. */
const describeTopics = (ids: string[], index: number): Environment["topics"] => [
  { key: "few", members: ids.filter((_, n) => n % 20 === index) },
  { key: "some", members: ids.filter((_, n) => n % 8 === 2 + index) },
  { key: "many", members: ids.filter((_, n) => n % 3 === index) },
];

/** A token of seven days: it outlives the run. */
export async function openSession(environment: LoadEnvironment, subscriberId: string): Promise<string> {
  const { client, identifier, apiKey } = environment;
  const subscriberHash = createHmac("sha256", apiKey).update(subscriberId).digest("hex");
  const body = { applicationIdentifier: identifier, subscriber: { subscriberId }, subscriberHash };
  return (await client("inbox.openSession", { body })).body.data.token;
}

export const describeWorld = (environments: LoadEnvironment[]): Pick<Run, "environments" | "workflows"> => ({
  environments: environments.map(({ name, id, people, topics }) => ({ name, id, people, topics })),
  workflows: workflows.map(({ workflowId, promise }) => ({ workflowId, promise })),
});
