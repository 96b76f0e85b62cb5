import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AddressRefusedError, createUrlGuard, HostUnresolvedError, parseNetworks } from "../../src/lib/url-guard.ts";

const names: Record<string, string[]> = {
  "public.example": ["93.184.215.14", "2606:2800:21f:cb07::1"],
  "v6.example": ["2606:2800:21f:cb07::1"],
  "mixed.example": ["93.184.215.14", "10.0.0.5"],
  "mixed-v6.example": ["93.184.215.14", "fd00::5"],
  "inside.example": ["192.168.1.20"],
  "zone.example": ["fe80::1%eth0"],
  "empty.example": [],
};

const asked: string[] = [];
const lookup = async (host: string): Promise<{ address: string }[]> => {
  asked.push(host);
  const found = names[host];
  if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
  return found.map((address) => ({ address }));
};

const guard = createUrlGuard({ allowNetworks: [], lookup });

describe("url guard", () => {
  const refused: [host: string, kind: RegExp][] = [
    ["127.0.0.1", /loopback/],
    ["127.255.255.254", /loopback/],
    ["0.0.0.0", /unspecified/],
    ["0.1.2.3", /unspecified/],
    ["10.0.0.1", /private/],
    ["172.16.0.1", /private/],
    ["172.31.255.255", /private/],
    ["192.168.0.1", /private/],
    ["169.254.169.254", /link-local/],
    ["100.64.0.1", /carrier-grade/],
    ["100.127.255.255", /carrier-grade/],
    ["224.0.0.1", /multicast/],
    ["192.0.2.1", /reserved/],
    ["198.18.0.1", /reserved/],
    ["240.0.0.1", /reserved/],
    ["255.255.255.255", /reserved/],
    ["::", /unspecified/],
    ["::1", /loopback/],
    ["[::1]", /loopback/],
    ["0:0:0:0:0:0:0:1", /loopback/],
    ["::ffff:10.0.0.1", /IPv4 address inside/],
    ["::ffff:a00:1", /IPv4 address inside/],
    ["[::ffff:127.0.0.1]", /IPv4 address inside/],
    ["::ffff:8.8.8.8", /IPv4 address inside/],
    ["::127.0.0.1", /IPv4 address inside/],
    ["::ffff:0:10.0.0.1", /IPv4 address inside/],
    ["64:ff9b::7f00:1", /IPv4 address inside/],
    ["64:ff9b:1::1", /IPv4 address inside/],
    ["2002:7f00:1::", /IPv4 address inside/],
    ["2001:0:7f00:1::", /IPv4 address inside/],
    ["fd00::1", /private/],
    ["fc00::1", /private/],
    ["fec0::1", /private/],
    ["fe80::1", /link-local/],
    ["fe80::1%eth0", /link-local/],
    ["ff02::1", /multicast/],
    ["2001:db8::1", /reserved/],
    ["100::1", /reserved/],
    ["4000::1", /reserved/],
    ["2130706433", /loopback/],
    ["0x7f000001", /loopback/],
    ["0x7f.1", /loopback/],
    ["0177.0.0.1", /loopback/],
    ["127.1", /loopback/],
    ["0", /unspecified/],
    ["１２７.0.0.1", /loopback/],
    ["inside.example", /resolves to a private/],
    ["zone.example", /link-local/],
    ["mixed.example", /private/],
    ["mixed-v6.example", /private/],
  ];
  for (const [host, kind] of refused) {
    it(`refuses ${host}`, async () => {
      await assert.rejects(guard.resolveHost(host), (error) => {
        assert.ok(error instanceof AddressRefusedError);
        assert.equal(error.code, "ADDRESS_REFUSED");
        assert.match(error.message, kind);
        return true;
      });
    });
  }

  it("does not tell the address behind a name", async () => {
    await assert.rejects(guard.resolveHost("inside.example"), (error) => {
      assert.ok(error instanceof Error);
      assert.doesNotMatch(error.message, /192\.168/);
      return true;
    });
  });

  it("gives an address it has checked, IPv4 before IPv6", async () => {
    assert.deepEqual(await guard.resolveHost("public.example"), { address: "93.184.215.14", family: 4 });
    assert.deepEqual(await guard.resolveHost("v6.example"), { address: "2606:2800:21f:cb07::1", family: 6 });
    assert.deepEqual(await guard.resolveHost("8.8.8.8"), { address: "8.8.8.8", family: 4 });
    assert.deepEqual(await guard.resolveHost("[2606:4700::1111]"), { address: "2606:4700::1111", family: 6 });
    assert.deepEqual(await guard.resolveHost("134744072"), { address: "8.8.8.8", family: 4 });
  });

  it("asks the resolver for names only", async () => {
    asked.length = 0;
    await guard.resolveHost("8.8.8.8");
    await assert.rejects(guard.resolveHost("2130706433"));
    assert.deepEqual(asked, []);
  });

  const unresolved = ["nowhere.example", "empty.example", "", " ", "a/b", "user@127.0.0.1", "host:25", "1.2.3.4.5"];
  for (const host of unresolved) {
    it(`does not resolve ${JSON.stringify(host)}`, async () => {
      await assert.rejects(guard.resolveHost(host), (error) => {
        assert.ok(error instanceof HostUnresolvedError);
        assert.equal(error.message, `The host ${host} cannot be resolved`);
        assert.equal(error.code, "HOST_UNRESOLVED");
        return true;
      });
    });
  }

  it("reaches networks the configuration allows, and only those", async () => {
    const open = createUrlGuard({ allowNetworks: ["10.0.0.0/8", "::1/128"], lookup });
    assert.deepEqual(await open.resolveHost("10.20.30.40"), { address: "10.20.30.40", family: 4 });
    assert.deepEqual(await open.resolveHost("::1"), { address: "::1", family: 6 });
    assert.deepEqual(await open.resolveHost("mixed.example"), { address: "93.184.215.14", family: 4 });
    await assert.rejects(open.resolveHost("127.0.0.1"), AddressRefusedError);
    await assert.rejects(open.resolveHost("::ffff:127.0.0.1"), AddressRefusedError);
    await assert.rejects(open.resolveHost("mixed-v6.example"), AddressRefusedError);
  });

  it("does not take an IPv6 network for an IPv4 one", async () => {
    const open = createUrlGuard({ allowNetworks: ["::/0"], lookup });
    await assert.rejects(open.resolveHost("10.0.0.1"), AddressRefusedError);
  });
});

describe("networks in the configuration", () => {
  it("are separated by commas or spaces", () => {
    assert.deepEqual(parseNetworks(""), []);
    assert.deepEqual(parseNetworks(" 10.0.0.0/8, fd00::/8\n192.168.1.5 ::1 "), [
      "10.0.0.0/8",
      "fd00::/8",
      "192.168.1.5/32",
      "::1/128",
    ]);
  });

  for (const text of [
    "10.0.0.0/33",
    "fd00::/129",
    "10.0.0/8",
    "localhost",
    "10.0.0.0/",
    "10.0.0.0/-1",
    "fe80::1%eth0",
  ]) {
    it(`refuse ${text}`, () => {
      assert.throws(() => parseNetworks(`10.0.0.0/8,${text}`), { message: new RegExp(`^"${text}" is not a network`) });
    });
  }
});
