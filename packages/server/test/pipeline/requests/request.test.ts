// The pure parts of HTTP requests: what templates become, and what is masked.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "@tidings/testkit/properties";
import {
  maskBodyTemplate,
  maskSecrets,
  maskSecretsIn,
  maskUrlTemplate,
  shownHeaders,
  shownUrl,
} from "../../../src/pipeline/requests/mask.ts";
import { readRequest } from "../../../src/pipeline/requests/request.ts";
import { readResponse } from "../../../src/pipeline/requests/response.ts";

const bodyOf = (body: unknown, payload: object): unknown => {
  const request = readRequest({ url: "https://example.com", body }, { payload }, { env: {}, secretValues: [] });
  assert.ok(!("fault" in request), JSON.stringify(request));
  return request.body === undefined ? undefined : JSON.parse(request.body);
};

describe("the body", () => {
  test("a value inside quotes is that text, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        // Templates leave out NUL and broken characters, which the database does not store.
        const a = value.replaceAll("\0", "").toWellFormed();
        assert.deepEqual(bodyOf('{"a": "{{ payload.a }}", "b": 1}', { a: value }), { a, b: 1 });
      }),
    );
  });

  test("a value with the filter json is that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const stored: unknown = JSON.parse(JSON.stringify(value));
        assert.deepEqual(bodyOf('{"a": {{ payload.a | json }}}', { a: value }), { a: stored });
      }),
    );
  });

  test("loops, missing values, numbers and lists", () => {
    const list = '[{% for x in payload.list %}"{{ x }}"{% unless forloop.last %},{% endunless %}{% endfor %}]';
    assert.deepEqual(bodyOf(list, { list: ["a", '"'] }), ["a", '"']);
    assert.deepEqual(bodyOf("{{ payload }}", { a: ["x"] }), { a: ["x"] });
    assert.deepEqual(bodyOf('{"n": {{ payload.n }}, "s": "{{ payload.none }}"}', { n: 3 }), { n: 3, s: "" });
    assert.equal(bodyOf(" ", {}), undefined);
  });
});

test("secret variables reach the request and are in no fault", () => {
  const variables = { env: { KEY: "s3cr3t value", HOST: "api.example.com" }, secretValues: ["s3cr3t value"] };
  const values = {
    method: "POST",
    url: "https://{{ env.HOST }}/{{ env.KEY }}?q={{ env.KEY | url_encode }}",
    headers: [{ key: "X-Custom", value: "{{ env.KEY }}" }],
    body: '{"key": "{{ env.KEY }}"}',
  };
  const request = readRequest(values, {}, variables);
  assert.ok(!("fault" in request));
  assert.deepEqual([request.headers["x-custom"], request.body], ["s3cr3t value", '{"key":"s3cr3t value"}']);
  const shown = [
    shownUrl(request.url, variables.secretValues),
    shownHeaders(request.headers, variables.secretValues),
    maskSecrets(request.body!, variables.secretValues),
  ];
  assert.doesNotMatch(JSON.stringify(shown), /s3cr3t/);
  const loose = '{ {% if true %}"key": {{ env.KEY }}{% endif %} }';
  const unquoted = readRequest({ ...values, body: loose }, {}, variables);
  assert.ok("fault" in unquoted && /^body: it is not JSON: .*with the filter json$/.test(unquoted.fault));
  assert.doesNotMatch(JSON.stringify(unquoted), /s3c/);
  const faults = [{ url: "{{ env.KEY }}" }, { ...values, headers: [{ key: "{{ env.KEY }}", value: "" }] }];
  for (const wrong of faults) {
    const refused = readRequest(wrong, {}, variables);
    assert.ok("fault" in refused && refused.fault.includes("********"), JSON.stringify(refused));
    assert.doesNotMatch(JSON.stringify(refused), /s3cr3t/);
  }
});

test("secrets are masked in every form, and names that suggest a credential hide their value", () => {
  assert.equal(maskSecrets('a"b a\\"b a%22b', ['a"b']), "******** ******** ********");
  assert.deepEqual(maskSecretsIn({ x: ["is s3cr3t", 1234, true], s3cr3t: null }, ["s3cr3t", "1234"]), {
    x: ["is ********", "********", true],
    "********": null,
  });
  assert.equal(
    shownUrl("https://me:pass@example.com/p?api_key=1&q=2&access_token=3#part", []),
    "https://example.com/p?api_key=********&q=2&access_token=********",
  );
  const headers = { cookie: "1", "x-api-key": "2", "x-auth": "3", "idempotency-key": "4", accept: "5" };
  assert.deepEqual(Object.values(shownHeaders(headers, [])), ["********", "********", "********", "4", "5"]);
});

test("of an address and a body as they were written, literals that may be secret are masked, and variables are not", () => {
  const addresses = {
    "https://api.example.com/a/{{ payload.id }}": "https://api.example.com/a/{{ payload.id }}",
    "https://me:p@ss@api.example.com:8080/a": "https://********@api.example.com:8080/a",
    "//me:pass@api.example.com": "//********@api.example.com",
    "https://{{ env.USER }}:{{env.PASS}}@api.example.com/?id={{ payload.id }}&q=1#x=2":
      "https://{{ env.USER }}:{{env.PASS}}@api.example.com/?id={{ payload.id }}&q=********#x=********",
    "{{ env.BASE }}?s3cr3t&t={{ env.T | default: 's3cr3t' }}": "{{ env.BASE }}?********&t=********",
    "https://a.example.com/u@h?x=a=b": "https://a.example.com/u@h?x=********",
  };
  for (const [url, shown] of Object.entries(addresses)) assert.equal(maskUrlTemplate(url), shown);
  assert.equal(
    maskBodyTemplate('{ "api_key": "a\\"b", "token": "{{ env.TOKEN }}", "note": "token" }'),
    '{ "api_key": "********", "token": "{{ env.TOKEN }}", "note": "token" }',
  );
  const pairs = [
    { key: "password", value: "s3cr3t" },
    { key: "note", value: "x" },
  ];
  assert.deepEqual(maskBodyTemplate(pairs), [{ key: "password", value: "********" }, pairs[1]]);
});

test("results: declared properties, defaults, and a status of the body that does not count", () => {
  const response = (body: unknown, isJson = true) => ({ status: 200, headers: {}, body, isJson });
  const properties = { a: { type: "number", default: 7 }, status: { type: "string" } };
  const strict = { responseBodySchema: { type: "object", properties }, enforceSchemaValidation: true };
  assert.deepEqual(readResponse(strict, response({ status: "x" })), { output: { a: 7, status: 200 } });
  assert.deepEqual(readResponse({ responseBodySchema: { properties } }, response([1])), { output: { status: 200 } });
  assert.deepEqual(readResponse({ responseBodySchema: {} }, response(null)), { output: { body: null, status: 200 } });
  assert.deepEqual(readResponse({}, response("text", false)), { output: { body: "text", status: 200 } });
});
