import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "@tidings/testkit/properties";
import type { Message } from "../../src/kit/message.ts";
import { decodeMultipart, encodeMultipart, type Part } from "../../src/kit/multipart.ts";
import { SendError } from "../../src/kit/outcome.ts";
import { withOverrides } from "../../src/kit/overrides.ts";
import { base64, baseUrl, get, post } from "../../src/kit/request.ts";
import { checkLimits } from "../../src/run/limits.ts";
import { email } from "../support.ts";

const url = "https://api.test/send?a=1";

describe("overrides", () => {
  it("are merged into JSON deeply, lists replaced, null removing, passthrough last", () => {
    const request = post(url, { json: { a: { b: 1, c: [1, 2] }, d: 1, e: 1 } });
    const extra = { a: { c: [3], n: { x: null, y: 1 } }, d: null, e: 2 };
    const { body } = withOverrides(request, { extra, passthrough: { body: { e: 3 } } });
    assert.deepEqual(JSON.parse(String(body)), { a: { b: 1, c: [3], n: { y: 1 } }, e: 3 });
  });

  it("go where the provider keeps its members, also inside a list", () => {
    const request = post(url, { json: { messages: [{ to: 1 }, { to: 2 }] } });
    const { body } = withOverrides(request, { extra: { tag: "x" } }, ["messages", 0]);
    assert.deepEqual(JSON.parse(String(body)), { messages: [{ to: 1, tag: "x" }, { to: 2 }] });
  });

  it("do not reach a prototype", () => {
    const extra = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}');
    const { body } = withOverrides(post(url, { json: { a: {} } }), { extra });
    assert.equal(body, '{"a":{"__proto__":{"polluted":true}},"__proto__":{"polluted":true}}');
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("set the fields of a form, the parts of a multipart body, and the query of a request without a body", () => {
    const extra = { a: ["x", "y"], b: null, c: { d: 1 } };
    const fields = { a: ["x", "y"], b: null, c: true };
    assert.equal(
      withOverrides(post(url, { form: { a: 1, b: 2, z: 3 } }), { extra: fields }).body,
      "z=3&a=x&a=y&c=true",
    );
    const multipart = {
      seed: "1",
      parts: [
        { name: "b", value: "2" },
        { name: "z", value: "3" },
      ],
    };
    const sent = withOverrides(post(url, { multipart }), { extra });
    const parts = decodeMultipart(sent.headers["content-type"] ?? "", Buffer.from(sent.body ?? ""));
    assert.deepEqual(
      parts.map((part) => [part.name, "value" in part && part.value]),
      [
        ["z", "3"],
        ["a", "x"],
        ["a", "y"],
        ["c", '{"d":1}'],
      ],
    );
    assert.equal(withOverrides(get(url), { extra: { a: 2, b: "ü" } }).url, "https://api.test/send?a=2&b=%C3%BC");
  });

  it("that are objects have no place in a form or a query, and are refused by name", () => {
    for (const value of [{ d: 1 }, [{ d: 1 }], [["x"]]]) {
      assert.throws(() => withOverrides(post(url, { form: {} }), { extra: { c: value } }), /override "c" is an object/);
      assert.throws(() => withOverrides(get(url), { extra: { c: value } }), /override "c" is an object/);
      const passthrough = { query: { c: value } };
      assert.throws(() => withOverrides(post(url, { json: {} }), { passthrough }), /override "c" is an object/);
    }
  });

  it("set headers and query, and nothing that frames the request", () => {
    const sent = withOverrides(post(url, { json: {} }), {
      passthrough: { headers: { "X-A": 1 }, query: { b: [1, 2] } },
    });
    assert.equal(sent.headers["x-a"], "1");
    assert.equal(sent.url, "https://api.test/send?a=1&b=1&b=2");
    const hostile = ["Host", "content-length", "Transfer-Encoding", "connection", ":authority", "x a", "x\r\ny", ""];
    for (const name of hostile) {
      assert.throws(() => withOverrides(post(url), { passthrough: { headers: { [name]: "1" } } }), SendError, name);
    }
    for (const value of ["a\r\nhost: b", "a\nb", "a\0b", "日本"]) {
      assert.throws(() => withOverrides(post(url), { passthrough: { headers: { "x-a": value } } }), SendError, value);
    }
  });

  it("are refused where the body has no members", () => {
    const request = post(url, { raw: { type: "text/xml", body: "<a/>" } });
    assert.throws(() => withOverrides(request, { extra: { a: 1 } }), /override "a" .* type text\/xml/);
    assert.deepEqual(withOverrides(request, {}), request);
  });
});

describe("bodies", () => {
  it("of multipart type can be read back whatever they hold, and are the same each time", () => {
    const part: fc.Arbitrary<Part> = fc.oneof(
      fc.record({ name: fc.string(), value: fc.string({ unit: "grapheme" }) }, { noNullPrototype: true }),
      fc.record(
        {
          name: fc.constantFrom('a"b', "file\r\nx"),
          filename: fc.constantFrom('r"1.pdf', "ü.txt"),
          type: fc.constant("text/plain"),
          content: fc.uint8Array(),
        },
        { noNullPrototype: true },
      ),
    );
    fc.assert(
      fc.property(fc.array(part), fc.string(), (parts, seed) => {
        fc.pre(parts.every(({ name }) => !/%0D|%0A|%22/.test(name)));
        const { type, body } = encodeMultipart({ seed, parts });
        assert.deepEqual(decodeMultipart(type, body), parts);
        assert.deepEqual(encodeMultipart({ seed, parts }).body, body);
      }),
      { numRuns: 50 },
    );
  });

  it("avoid a boundary that their content holds", () => {
    const { type } = encodeMultipart({ seed: "1", parts: [] });
    const taken = type.slice(type.indexOf("=") + 1);
    const parts = [{ name: "a", value: `--${taken}--` }];
    const again = encodeMultipart({ seed: "1", parts });
    assert.notEqual(again.type, type);
    assert.deepEqual(decodeMultipart(again.type, again.body), parts);
  });

  it("have their small helpers", () => {
    assert.equal(base64("hi"), "aGk=");
    assert.equal(baseUrl(undefined, "https://a.test"), "https://a.test");
    assert.equal(baseUrl("a.test/x//"), "https://a.test/x");
    assert.throws(() => baseUrl("https://"), SendError);
  });
});

describe("limits", () => {
  const sms = (to: string, text = "hi"): Message => ({ id: "1", channel: "sms", to, text });
  const said = (message: Message, limits = {}) => {
    const result = checkLimits({ name: "X", limits }, message);
    return "kind" in result ? result.reason : "to" in result ? result.to : "";
  };
  const numbers: [given: string, result: string | RegExp][] = [
    ["+49 (170) 123-45.67", "+491701234567"],
    ["12345", "12345"],
    ["+12345", /5 digits instead of 6 to 15/],
    ["12", /2 digits instead of 3 to 15/],
    ["+1234567890123456", /16 digits/],
    ["1+234567", /plus may only be its first/],
    ["+4917o123", /contains "o"/],
    ["", /no digits/],
    ["+1\r\n234567,+2", /contains ","/],
  ];
  for (const [given, result] of numbers) {
    it(`reads the number ${JSON.stringify(given)}`, () => {
      if (result instanceof RegExp) assert.match(String(said(sms(given))), result);
      else assert.equal(said(sms(given)), result);
    });
  }

  it("count characters, not code units", () => {
    assert.equal(said(sms("12345", "🎉🎉🎉"), { text: 3 }), "12345");
    assert.match(String(said(sms("12345", "🎉🎉🎉🎉"), { text: 3 })), /has 4 characters; X takes at most 3/);
  });

  it("refuse an address that is none, for every email provider", () => {
    assert.match(String(said(email({ cc: ["a@b.c, d@e.f"] }))), /not an email address/);
    assert.match(String(said(email({ to: [] }))), /no recipient/);
  });
});
