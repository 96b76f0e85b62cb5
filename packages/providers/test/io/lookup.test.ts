import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { createIo } from "../../src/io/io.ts";
import { createLookup, LookupBusyError, type LookupOptions } from "../../src/io/lookup.ts";
import type { SendError } from "../../src/kit/outcome.ts";

/**
 * A records by name; a name without records does not exist, and a query for a name that is not listed gets no response.
 */
type Zone = Record<string, string[]>;

function nameOf(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 0; question[at]; at += question[at]! + 1) {
    labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!));
  }
  return labels.join(".");
}

async function startNameServer(t: TestContext, zone: Zone) {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const name = nameOf(query.subarray(12));
    const question = query.subarray(12, 12 + name.length + 6);
    const isA = question.readUInt16BE(name.length + 2) === 1;
    if (isA) asked.push(name);
    const known = zone[name];
    if (!known) return;
    const answers = isA ? known : [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(known.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt16BE(0, 10);
    const records = answers.map((address) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]),
    );
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  t.after(() => socket.close());
  const nameServers = () => {
    const resolver = new Resolver({ timeout: 300, tries: 1 });
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    return resolver;
  };
  return { asked, nameServers };
}

async function unknown(host: string): Promise<never> {
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
}

const addressesOf = async (found: ReturnType<NonNullable<LookupOptions["machine"]>>) =>
  (await found).map(({ address }) => address);

describe("looking up a name", { concurrency: true }, () => {
  it("asks the name servers, once at a time and once in half a minute", async (t) => {
    const zone: Zone = { "mail.example": ["93.184.215.14", "93.184.215.15"] };
    const { asked, nameServers } = await startNameServer(t, zone);
    let time = Date.parse("2026-01-01T00:00:00Z");
    const lookup = createLookup({ nameServers, machine: unknown, hosts: async () => "", now: () => new Date(time) });
    const found = await Promise.all([1, 2, 3].map(() => addressesOf(lookup("mail.example"))));
    assert.deepEqual(
      found,
      [1, 2, 3].map(() => ["93.184.215.14", "93.184.215.15"]),
    );
    zone["mail.example"] = ["10.0.0.1"];
    time += 29_000;
    assert.deepEqual(await addressesOf(lookup("mail.example")), ["93.184.215.14", "93.184.215.15"]);
    assert.equal(asked.length, 1);
    time += 2000;
    assert.deepEqual(await addressesOf(lookup("mail.example")), ["10.0.0.1"]);
    assert.equal(asked.length, 2);
  });

  it("asks the machine for what the name servers do not know, and for names of this machine alone", async (t) => {
    const { asked, nameServers } = await startNameServer(t, { "mail.internal": [], "gone.example": [] });
    const hosts: Record<string, string> = {
      localhost: "127.0.0.1",
      mailpit: "172.18.0.2",
      "mail.internal": "10.0.0.7",
    };
    const machine = async (host: string) => (hosts[host] ? [{ address: hosts[host] }] : unknown(host));
    const lookup = createLookup({ nameServers, machine, hosts: async () => "" });
    for (const [host, address] of Object.entries(hosts)) assert.deepEqual(await addressesOf(lookup(host)), [address]);
    assert.deepEqual(asked, ["mail.internal"]);
    await assert.rejects(lookup("gone.example"), /ENOTFOUND/);
    // A failure is not remembered: the name may be there in a moment.
    hosts["gone.example"] = "10.0.0.8";
    assert.deepEqual(await addressesOf(lookup("gone.example")), ["10.0.0.8"]);
  });

  it("believes the hosts file before the name servers", async (t) => {
    const { asked, nameServers } = await startNameServer(t, { "mail.example": ["93.184.215.14"] });
    const text =
      "# ours\n10.0.0.5\tmail.example MAIL2.example # relay\n::1 six.example\n10.0.0.6 mail.example\nnonsense\n";
    const lookup = createLookup({ nameServers, machine: unknown, hosts: async () => text });
    assert.deepEqual(await addressesOf(lookup("mail.example")), ["10.0.0.5", "10.0.0.6"]);
    assert.deepEqual(await addressesOf(lookup("Mail2.example")), ["10.0.0.5"]);
    assert.deepEqual(await addressesOf(lookup("six.example")), ["::1"]);
    assert.deepEqual(asked, []);
  });

  it("does not count against a provider that there were too many names", async () => {
    const resolveHost = async () => {
      throw new Error("The host mail.example cannot be resolved", { cause: new LookupBusyError("too many names") });
    };
    const io = createIo({ resolveHost, capture: async () => {} });
    await assert.rejects(
      io.http({ method: "GET", url: "https://mail.example/", headers: {} }),
      ({ outcome }: SendError) => outcome.kind === "retry" && outcome.isDecidedLocally === true,
    );
    await io.close();
  });

  it("keeps most of the machine's threads free of names whose name server is silent", async (t) => {
    const { nameServers } = await startNameServer(t, { "mail.example": ["93.184.215.14"] });
    const released = Promise.withResolvers<void>();
    let [now, most] = [0, 0];
    const machine = async (host: string) => {
      if (host === "localhost") return [{ address: "127.0.0.1" }];
      most = Math.max(most, ++now);
      await released.promise.finally(() => now--);
      return unknown(host);
    };
    const lookup = createLookup({ nameServers, machine, hosts: async () => "" });
    const silent = Promise.allSettled(Array.from({ length: 20 }, (_, n) => lookup(`silent${n}.example`)));
    while (now < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await addressesOf(lookup("mail.example")), ["93.184.215.14"]);
    assert.deepEqual(await addressesOf(lookup("localhost")), ["127.0.0.1"]);
    released.resolve();
    assert.ok((await silent).every(({ status }) => status === "rejected"));
    assert.equal(most, 2);
  });

  it("finds this machine with nothing given", async () => {
    const found = await addressesOf(createLookup()("localhost"));
    assert.ok(found.every((address) => address === "127.0.0.1" || address === "::1"));
    assert.ok(found.length > 0);
  });
});
