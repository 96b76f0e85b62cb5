// What clients read when everything has come to rest: inboxes, events, explanations, retractions. Written page by page,
// so that nothing of it has to fit into memory.
import type { Final } from "../../auditor/evidence.ts";
import type { EvidenceWriter } from "../parts.ts";
import { pause } from "./caller.ts";
import { parseJson, sendRequest } from "./http.ts";
import type { Sampled } from "./samples.ts";
import type { LoadEnvironment } from "./world.ts";

type Tools = { urls: string[]; environments: LoadEnvironment[]; evidence: EvidenceWriter; sampled: Sampled[] };

export async function collectFinals({ urls, environments, evidence, sampled }: Tools): Promise<void> {
  const read = createReader(urls);
  for (const environment of environments) {
    for (const { subscriberId } of environment.people) {
      evidence.final(await readInbox(read, environment, subscriberId));
    }
    for await (const event of readEvents(read, environment)) evidence.final(event);
    for await (const retraction of readRetractions(read, environment)) evidence.final(retraction);
  }
  for (const one of sampled) evidence.final(await readExplanation(read, one));
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of different operations
type Read = (environment: LoadEnvironment, path: string) => Promise<any>;

const readMs = 30_000;
const mostTries = 10;

function createReader(urls: string[]): Read {
  let reads = 0;
  return async ({ apiKey }, path) => {
    const headers = { authorization: `ApiKey ${apiKey}` };
    for (let tried = 1; ; tried++) {
      const url = urls[reads++ % urls.length]!;
      const answer = await sendRequest({ url, method: "GET", path, headers, timeoutMs: readMs });
      if (answer.status === 200 || answer.status === 404) return parseJson(answer.body);
      if (tried === mostTries) throw new Error(`GET ${path}: ${answer.status ?? answer.fault} ${answer.body}`);
      await pause(answer.retryAfterMs ?? 1_000);
    }
  };
}

const pageSize = 100;
const mostPages = 10_000;

async function readInbox(read: Read, environment: LoadEnvironment, subscriberId: string): Promise<Final> {
  const messages: Extract<Final, { kind: "inbox" }>["messages"] = [];
  const list = `/v2/subscribers/${subscriberId}/notifications?limit=${pageSize}`;
  let after = "";
  for (let page = 0; page < mostPages; page++) {
    const { data, hasMore } = await read(environment, list + after);
    for (const { id, body, transactionId, createdAt, isRead, isSeen } of data) {
      messages.push({ id, text: body, transactionId, createdAt, isRead, isSeen });
    }
    if (!hasMore) break;
    after = `&after=${messages.at(-1)!.id}`;
  }
  const count = async (filter: string): Promise<number> => {
    const feed = `/v1/subscribers/${subscriberId}/notifications/feed?limit=1${filter}`;
    return (await read(environment, feed)).totalCount;
  };
  const counts = { unread: await count("&read=false"), unseen: await count("&seen=false"), total: await count("") };
  return { kind: "inbox", environment: environment.name, subscriberId, messages, counts };
}

async function* readEvents(read: Read, environment: LoadEnvironment): AsyncGenerator<Final> {
  let cursor = "";
  for (let page = 0; page < mostPages; page++) {
    const { data, next } = await read(environment, `/v1/activity/events?limit=${pageSize}${cursor}`);
    for (const { transactionId, status, recipients, isCapped, outcomes, workflow } of data) {
      const answer = { workflowId: workflow.workflowId, recipients, isCapped, outcomes };
      yield { kind: "event", environment: environment.name, transactionId, status, answer };
    }
    if (!next) return;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

async function* readRetractions(read: Read, environment: LoadEnvironment): AsyncGenerator<Final> {
  for (let page = 0; page < mostPages; page++) {
    const { data, hasMore } = await read(environment, `/v2/retractions?limit=${pageSize}&page=${page}`);
    for (const one of data) {
      yield { kind: "retraction", environment: environment.name, id: one._id, status: one.status, answer: one };
    }
    if (!hasMore) return;
  }
}

async function readExplanation(read: Read, { environment, transactionId, subscriberId }: Sampled): Promise<Final> {
  const query = new URLSearchParams({ transactionId, subscriberId });
  const body = await read(environment, `/v2/explain?${query}`);
  // Execution details are most of it, and say no more than the reasons.
  const steps = body.steps?.map(({ details: _, ...step }: Record<string, unknown>) => step);
  const answer = { ...body, steps };
  return { kind: "explain", environment: environment.name, transactionId, subscriberId, answer };
}
