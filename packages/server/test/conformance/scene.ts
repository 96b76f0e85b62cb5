// What the parts of the conformance program share: one service, called without sockets, one world of records in its
// Development environment, and one good input for each operation.
import { randomBytes } from "node:crypto";
import type { Role } from "@tidings/contract";
import { createClient } from "@tidings/testkit/client";
import { startReceiver } from "@tidings/testkit/servers/receiver";
import { startTestService } from "@tidings/testkit/service";
import { type Browser, invite, signInOwner } from "../app/members/browsers.ts";
import { noteChanges } from "./changes.ts";
import { createInputs } from "./kept-inputs.ts";
import { createProbe } from "./probe.ts";
import { createWorld } from "./world.ts";

export type Scene = Awaited<ReturnType<typeof openScene>>;

export async function openScene() {
  const receiver = await startReceiver();
  const encryptionKey = randomBytes(32);
  const service = await startTestService({
    TIDINGS_ENCRYPTION_KEY: encryptionKey.toString("base64"),
    TIDINGS_PUBLIC_URL: "https://notify.example.com",
    TIDINGS_TRUSTED_PROXIES: "127.0.0.1",
    // The parts make more requests in a minute than the limits allow.
    ...{ TIDINGS_RATE_TRIGGER: "0", TIDINGS_RATE_CONFIGURATION: "0", TIDINGS_RATE_GLOBAL: "0" },
  });
  const { url, apiKey, db, firstLink, logs } = service;
  /** The service as a caller with this key reaches it. */
  const targetOf = (key: string) => ({ url, apiKey: key, fetch: service.directFetch, firstLink });
  const clientOf = (key: string) => createClient({ ...targetOf(key), baseUrl: url });
  const target = targetOf(apiKey);
  const client = clientOf(apiKey);
  const owner = onceOnly(() => signInOwner(target));
  const members = { target, owner };
  const world = createWorld(client, "a", receiver.url, db, members);

  /** A person for each role. */
  const people = onceOnly(
    async (): Promise<Record<Role, Browser>> => ({
      owner: await owner(),
      editor: await invite(target, await owner(), "editor"),
      support: await invite(target, await owner(), "support"),
      viewer: await invite(target, await owner(), "viewer"),
    }),
  );
  return {
    ...{ service, db, logs, apiKey, encryptionKey, target, client, world, members, people },
    receiverUrl: receiver.url,
    clientOf,
    probe: createProbe(target),
    probeOf: (key: string) => createProbe(targetOf(key)),
    inputs: createInputs(world),
    changes: await noteChanges(db),
  };
}

/** The same result for every call. */
export function onceOnly<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
