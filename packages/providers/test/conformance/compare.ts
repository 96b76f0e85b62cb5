// How what happened is compared with what a case expects.

import assert from "node:assert/strict";
import type { JsonObject } from "@tidings/contract";
import type { Credentials, Message, Outcome } from "../../src/index.ts";
import { decodeMultipart } from "../../src/kit/multipart.ts";
import type { Provider } from "../../src/kit/provider.ts";
import type { ExpectedFile, ExpectedOutcome, ExpectedRequest } from "./case.ts";
import type { Seen } from "./stage.ts";

export function assertOutcome(outcome: Outcome, expected: ExpectedOutcome): void {
  const { kind } = outcome;
  const got: ExpectedOutcome = { kind };
  if (outcome.kind === "rejected") got.class = outcome.class;
  if (outcome.kind === "retry" && outcome.afterMs !== undefined) got.afterMs = outcome.afterMs;
  assert.deepEqual(got, expected, JSON.stringify(outcome));
}

export function assertSeen(seen: readonly Seen[], expected: readonly ExpectedRequest[], name: string): void {
  assert.deepEqual(
    seen.map(({ method, url }) => `${method} ${url}`),
    expected.map(({ method, url }) => `${method} ${url}`),
    name,
  );
  expected.forEach((request, index) => {
    const got: Seen | undefined = seen[index];
    assert.ok(got);
    for (const [header, value] of Object.entries(request.headers ?? {})) {
      const said: string | undefined = got.headers[header.toLowerCase()];
      if (value instanceof RegExp) assert.match(said ?? "", value, `${name}: ${header}`);
      else assert.equal(said, value, `${name}: ${header}`);
    }
    assertBody(got, request, name);
  });
}

function assertBody(got: Seen, expected: ExpectedRequest, name: string): void {
  const text = got.body.toString();
  const type = got.headers["content-type"] ?? "";
  if ("json" in expected) {
    assert.match(type, /json/, name);
    assert.deepEqual(JSON.parse(text), expected.json, name);
  } else if (expected.form) {
    assert.match(type, /^application\/x-www-form-urlencoded/, name);
    assert.deepEqual(grouped([...new URLSearchParams(text)]), expected.form, name);
  } else if (expected.multipart) {
    const parts = decodeMultipart(type, got.body).map((part): [string, unknown] => [
      part.name,
      "value" in part
        ? part.value
        : { filename: part.filename, type: part.type, content: Buffer.from(part.content).toString("base64") },
    ]);
    const wanted = Object.entries(expected.multipart).flatMap(([field, values]) =>
      [values].flat().map((value): [string, unknown] => [field, typeof value === "string" ? value : bytesOf(value)]),
    );
    assert.deepEqual(grouped(parts), grouped(wanted), name);
  } else if (!expected.body) assert.equal(text, expected.text ?? "", name);
  expected.body?.(text);
}

const bytesOf = ({ content, ...file }: ExpectedFile) => ({ ...file, content: Buffer.from(content).toString("base64") });

/** Fields by name; one that is repeated becomes a list. */
function grouped(fields: readonly [string, unknown][]): JsonObject {
  const lists = Object.groupBy(fields, ([name]) => name);
  return Object.fromEntries(
    Object.entries(lists).map(([name, list = []]) => {
      const values = list.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

export function assertSame(first: readonly Seen[], second: readonly Seen[], volatile: readonly string[]): void {
  const stable = (list: readonly Seen[]) =>
    list.map(({ method, url, headers, body }) => ({
      method,
      url,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => !volatile.includes(name) && name !== "host"),
      ),
      body: volatile.includes("body") ? "" : body.toString("latin1"),
    }));
  assert.deepEqual(stable(first), stable(second));
}

export function assertNoSecret(adapter: Provider, credentials: Credentials, message: Message, reason: string): void {
  const secrets = Object.entries(adapter.credentials).flatMap(([name, { secret }]) => {
    const value = credentials[name];
    return secret && typeof value === "string" ? [value, ...value.split("\n").filter((line) => line.length >= 16)] : [];
  });
  if (message.channel === "chat" && message.target.kind === "webhook") secrets.push(message.target.webhookUrl);
  if (message.channel === "chat" && "accessToken" in message.target) secrets.push(message.target.accessToken ?? "");
  for (const secret of secrets.filter(Boolean)) {
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]) {
      assert.ok(!reason.includes(form), `the reason repeats a secret: ${reason}`);
    }
  }
}
