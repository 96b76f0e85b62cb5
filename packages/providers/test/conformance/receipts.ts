// Delivery reports of one provider: read as its case says, taken from the provider only, and never a crash.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import {
  createIo,
  type InboundRequest,
  type Io,
  readReceipts,
  receiptStatuses,
  verifyReceipt,
} from "../../src/index.ts";
import type { Provider } from "../../src/kit/provider.ts";
import { resolveHere } from "../support.ts";
import type { ReceiptCase } from "./case.ts";

export async function runReceipts(adapter: Provider, cases: readonly ReceiptCase[]): Promise<void> {
  assert.ok(cases.length > 0);
  for (const one of cases) {
    const request = toRequest(one);
    const read = readReceipts(adapter.id, request);
    // `row` is the event itself: it only has to exist.
    assert.deepEqual(
      read.map(({ row, ...receipt }) => receipt),
      one.expected.map(({ row, ...receipt }) => receipt),
      one.name,
    );
    for (const { status } of read)
      assert.ok(receiptStatuses[adapter.channel].includes(status), `${one.name}: ${status}`);
    if (adapter.receipts?.verify) await ownScheme(adapter, one, request);
    else await defaultScheme(adapter, request);
  }
  for (const body of [undefined, null, "x", 5, [], {}, [null], { data: null }, { events: {} }]) {
    assert.deepEqual(readReceipts(adapter.id, { method: "POST", headers: {}, raw: Buffer.from(""), body }), []);
  }
}

function toRequest({ json, form, raw, query, headers = {}, url }: ReceiptCase): InboundRequest {
  const fields = query ?? form;
  const text = raw ?? (fields ? new URLSearchParams(fields).toString() : JSON.stringify(json));
  const body = fields ?? (raw === undefined ? json : parsed(raw));
  return { method: query ? "GET" : "POST", url, headers, raw: Buffer.from(text), body };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function ownScheme(adapter: Provider, one: ReceiptCase, request: InboundRequest): Promise<void> {
  const { key = "", now = "", calls = {} } = one;
  assert.ok(key && now, `${one.name}: a scheme of its own needs key and now`);
  const at = new Date(now);
  const fetched: string[] = [];
  const io = answering(calls, fetched);
  const verify = (report: InboundRequest, by: string, when = at) => verifyReceipt(adapter.id, report, by, when, io);
  assert.equal(await verify(request, key), true, `${one.name}: the signature is right`);
  assert.deepEqual(fetched, Object.keys(calls), `${one.name}: what was fetched`);
  assert.equal(await verify(request, "another-key"), false, `${one.name}: the key is wrong`);
  assert.equal(await verify(request, ""), false, `${one.name}: there is no key`);
  const late = new Date(at.getTime() + (one.goodForMs ?? 300_000) + 1_000);
  assert.equal(await verify(request, key, late), one.isAgeless ?? false, `${one.name}: the report is old`);
  const bare = { ...request, headers: {}, body: {}, raw: Buffer.from("{}") };
  assert.equal(await verify(bare, key), false, `${one.name}: there is no signature`);
  await io.close();
}

/** A network that knows these addresses and no other. */
function answering(calls: NonNullable<ReceiptCase["calls"]>, fetched: string[]): Io {
  return {
    ...createIo({ resolveHost: resolveHere, capture: async () => {} }),
    http: async ({ url }) => {
      fetched.push(url);
      const { status = 404, headers = {}, body = "" } = calls[url] ?? {};
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return { status, headers, text, json: parsed(text) };
    },
  };
}

async function defaultScheme(adapter: Provider, request: InboundRequest): Promise<void> {
  const io = answering({}, []);
  const key = "whsec_c2VjcmV0LW9mLXRoZS1yZXBvcnRz";
  const now = new Date("2026-01-02T03:04:05Z");
  const stamp = String(now.getTime() / 1000);
  const mac = createHmac("sha256", Buffer.from(key.slice(6), "base64"))
    .update(`r1.${stamp}.`)
    .update(request.raw);
  const headers = { "webhook-id": "r1", "webhook-timestamp": stamp, "webhook-signature": `v1,${mac.digest("base64")}` };
  const signed = { ...request, headers };
  assert.equal(await verifyReceipt(adapter.id, signed, key, now, io), true);
  assert.equal(await verifyReceipt(adapter.id, signed, key, new Date(now.getTime() + 301_000), io), false);
  assert.equal(await verifyReceipt(adapter.id, { ...signed, raw: Buffer.from("other") }, key, now, io), false);
  const basic = (password: string) => ({
    ...request,
    headers: { authorization: `Basic ${Buffer.from(`tidings:${password}`).toString("base64")}` },
  });
  assert.equal(await verifyReceipt(adapter.id, basic(key), key, now, io), true);
  assert.equal(await verifyReceipt(adapter.id, basic("wrong"), key, now, io), false);
  assert.equal(await verifyReceipt(adapter.id, request, key, now, io), false);
  await io.close();
}
