// What the trials share: the image, its volumes, a started service with its key, and a line for everything seen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@tidings/testkit/client";
import { within } from "@tidings/testkit/programs/limits";
import { findPort } from "@tidings/testkit/programs/ports";
import { eventually } from "@tidings/testkit/wait";
import type { Image } from "./build.ts";
import { type Container, type Options, startContainer } from "./container.ts";

export type World = {
  image: Image;
  say(line: string): void;
  /** What Docker makes of `VOLUME /data` at the first start: a folder like that of the image. */
  namedVolume(): string;
  /** A folder of the host with another owner or mode. */
  folder(owner: number, mode: number): string;
  start(options: Options): Promise<Started>;
  /** A start that has to fail: its exit code and output. */
  refuse(options: Options): Promise<{ code: number | null; output: string }>;
};

export type Started = { container: Container; url: string; seconds: number; client(apiKey: string): Client };

/** For a first start on a busy machine; how long it takes is printed. */
const readyMs = 180_000;
const endMs = 90_000;

export function openWorld(image: Image, temporary: string, say: (line: string) => void): World {
  let folders = 0;
  const newFolder = () => join(temporary, `volume-${++folders}`);
  const launch = async (options: Options) => {
    const port = options.env?.TIDINGS_PORT ?? String(await findPort());
    const container = startContainer(image, { ...options, env: { TIDINGS_PORT: port, ...options.env } });
    return { container, url: `http://127.0.0.1:${port}` };
  };
  return {
    image,
    say,
    namedVolume: () => {
      const path = newFolder();
      execFileSync("cp", ["--archive", join(image.root, "data"), path]);
      return path;
    },
    folder: (owner, mode) => {
      const path = newFolder();
      mkdirSync(path);
      chownSync(path, owner, owner);
      chmodSync(path, mode);
      return path;
    },
    start: async (options) => {
      const began = Date.now();
      const { container, url } = await launch(options);
      let code: number | null | undefined;
      void container.ended.then((given) => {
        code = given;
      });
      await eventually(
        async () => {
          assert.equal(code, undefined, `it ended instead of starting:\n${container.output()}`);
          return (await fetch(`${url}/ready`).catch(() => null))?.status === 200;
        },
        "the service to be ready",
        readyMs,
      ).catch((error) => {
        throw new Error(`${error.message}\n${container.output()}`);
      });
      const client = (apiKey: string) => createClient({ baseUrl: url, apiKey });
      return { container, url, seconds: (Date.now() - began) / 1000, client };
    },
    refuse: async (options) => {
      const { container } = await launch(options);
      const code = await within(endMs, "the end of a service that cannot start", container.ended);
      return { code, output: container.output() };
    },
  };
}

/** Sends SIGTERM, and expects the end of an orderly stop. */
export async function stop({ container }: Pick<Started, "container">): Promise<string> {
  const began = Date.now();
  await container.signal("SIGTERM");
  const code = await within(endMs, "the end after SIGTERM", container.ended);
  assert.equal(code, 0, container.output());
  assert.match(container.output(), /"msg":"stopped"\}\n$/);
  return `SIGTERM: exit code 0 after ${((Date.now() - began) / 1000).toFixed(1)} s`;
}

/** The key of Development, which the first start writes for the user of the service alone. */
export function readKey(volume: string): string {
  const [, key = ""] = /API key\s+(\S+)/.exec(readFileSync(join(volume, "first-start.txt"), "utf8")) ?? [];
  assert.match(key, /^tdg_/);
  return key;
}

/** Sends one notification and waits until the API shows it in the feed. */
export async function notify(client: Client, subscriberId: string): Promise<string> {
  const began = Date.now();
  const { status } = await client("events.triggerBulk", {
    body: { events: [{ name: "welcome", to: subscriberId, payload: { product: "Tidings" } }] },
  });
  assert.equal(status, 201);
  const message = await eventually(async () => {
    const { body } = await client("subscribers.listFeed", { params: { subscriberId } }).catch(() => ({ body: null }));
    return body?.data[0];
  }, `the message of ${subscriberId}`);
  return `"${message.content}" ${Date.now() - began} ms after the trigger`;
}
