// The borders of what an API key may do: the moment of its expiry, and addresses and networks however they are spelled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, operations } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import type { Caller } from "../../src/context.ts";
import type { Failure } from "../../src/failure.ts";
import { refuseKey } from "../../src/http/auth/key-rights.ts";
import { clientsIn, isNetworkWithin, normalizeNetwork } from "../../src/lib/networks/client-networks.ts";

const list: Operation = operations["workflows.list"];
const end = new Date("2030-01-01T00:00:00.000Z");

function codeAt(ms: number, key: Partial<NonNullable<Caller["key"]>>, address = "192.0.2.7"): string {
  const full = { name: null, scope: "full", operations: null, expiresAt: null, networks: null, ...key } as const;
  try {
    refuseKey({ now: () => new Date(end.getTime() + ms) }, { key: full } as Caller, list, address);
    return "allowed";
  } catch (error) {
    return (error as Failure).code;
  }
}

test("a key is valid until the millisecond before its expiry", () => {
  assert.equal(codeAt(-1, { expiresAt: end }), "allowed");
  assert.equal(codeAt(0, { expiresAt: end }), "API_KEY_EXPIRED");
  assert.equal(codeAt(1, { expiresAt: end }), "API_KEY_EXPIRED");
  assert.equal(codeAt(1e12, {}), "allowed");
});

test("a client without an address is in no network, and is allowed where there are none", () => {
  assert.equal(codeAt(0, { networks: ["0.0.0.0/0", "::/0"] }, undefined as never), "allowed");
  assert.equal(codeAt(0, { networks: ["0.0.0.0/0", "::/0"] }, ""), "API_KEY_NETWORK");
  assert.equal(codeAt(0, {}, ""), "allowed");
});

test("an empty list of operations allows none", () => {
  assert.equal(codeAt(0, { scope: "operations", operations: [] }), "API_KEY_SCOPE");
  assert.equal(codeAt(0, { scope: "operations" }), "API_KEY_SCOPE");
});

const byte = fc.integer({ min: 0, max: 255 });
const address = fc.tuple(byte, byte, byte, byte);
const numberOf = (parts: readonly number[]): bigint => parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);

test("an IPv4 address is in a network if its first bits are, also where IPv6 wraps the address or the network", () => {
  fc.assert(
    fc.property(
      address,
      address,
      fc.integer({ min: 0, max: 32 }),
      fc.boolean(),
      (client, network, prefix, isWrapped) => {
        const rest = BigInt(32 - prefix);
        const isInside = numberOf(client) >> rest === numberOf(network) >> rest;
        const text = isWrapped ? `::ffff:${network.join(".")}/${prefix + 96}` : `${network.join(".")}/${prefix}`;
        const clients = clientsIn([normalizeNetwork(text)]);
        const hex = client.map((part) => part.toString(16).padStart(2, "0")).join("");
        for (const spelled of [
          client.join("."),
          `::ffff:${client.join(".")}`,
          `0:0:0:0:0:FFFF:${hex.slice(0, 4)}:${hex.slice(4)}`,
        ])
          assert.equal(clients.has(spelled), isInside, `${spelled} in ${text}`);
      },
    ),
    { numRuns: 500 },
  );
});

test("a network is within another if all its addresses are", () => {
  fc.assert(
    fc.property(
      address,
      address,
      fc.tuple(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 32 })),
      (a, b, [p, q]) => {
        const isInside = p >= q && numberOf(a) >> BigInt(32 - q) === numberOf(b) >> BigInt(32 - q);
        assert.equal(isNetworkWithin(`${a.join(".")}/${p}`, ["2001:db8::/32", `${b.join(".")}/${q}`]), isInside);
      },
    ),
    { numRuns: 500 },
  );
  assert.equal(isNetworkWithin("10.0.0.0/8", ["::/0"]), false, "IPv6 networks have no IPv4 addresses");
  assert.equal(isNetworkWithin("2001:db8:1::/48", ["2001:db8::/32"]), true);
});

test("networks are kept in one form, and other texts are refused", () => {
  const forms = [
    ["10.0.0.0/8", "10.0.0.0/8"],
    [" 192.0.2.7/32 ", "192.0.2.7"],
    ["::ffff:192.0.2.0/120", "192.0.2.0/24"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8::1/128", "2001:db8::1"],
    ["::/0", "::/0"],
  ] as const;
  for (const [given, kept] of forms) assert.equal(normalizeNetwork(given), kept);
  for (const text of ["", "10.0.0.0/33", "10.0.0/8", "::1/129", "fe80::1%eth0", "10.0.0.0/8/8", "10.0.0.0/-1", "host"])
    assert.throws(() => normalizeNetwork(text), /is not a network: write it like/, text);
});
