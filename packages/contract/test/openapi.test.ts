// The OpenAPI document is complete and consistent, and keeps to the rules of OpenAPI 3.1 that can be checked here.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  commonErrors,
  type ErrorCode,
  errorCatalogue,
  type JsonObject,
  type Operation,
  openApiDocument,
  operations,
  successStatuses,
} from "../src/index.ts";
import { schemaCollector } from "../src/openapi-components.ts";

const document = openApiDocument({ version: "1.2.3" });
const all: Operation[] = Object.values(operations);
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

type Node = { place: string; key: string; value: unknown };

const walk = function* (value: unknown, place = "#", key = ""): Generator<Node> {
  yield { place, key, value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) yield* walk(member, `${place}/${name}`, name);
};

const resolve = (reference: string): unknown =>
  reference
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((at, part) => (at as JsonObject | undefined)?.[part], document);

const follow = <T extends object>(value: T | { $ref: string }): T =>
  "$ref" in value ? (resolve(value.$ref) as T) : value;

describe("complete", () => {
  test("every operation is there, under its method and path", () => {
    assert.deepEqual(described.map(({ operation }) => operation.operationId).sort(), Object.keys(operations).sort());
    for (const { id, method, path } of all) {
      assert.equal(document.paths[path]?.[method.toLowerCase()]?.operationId, id);
    }
  });

  test("every error an operation can give is documented under its status", () => {
    for (const { path, method, errors, id, access } of all) {
      const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {};
      // Without an API key nothing can be wrong with it, nor with an idempotency key of its environment.
      const isAboutKeys = (code: ErrorCode) =>
        errorCatalogue[code].status === 401 || /^(API_KEY|IDEMPOTENCY)_/.test(code);
      const isAboutPeople = (code: ErrorCode) => /^(SIGN_IN|ROLE|CSRF|ENVIRONMENT_HEADER)_/.test(code);
      const common = access ? commonErrors.filter((code) => !isAboutKeys(code) && !isAboutPeople(code)) : commonErrors;
      const ofSession: ErrorCode[] = ["SIGN_IN_REQUIRED", "ROLE_NOT_ALLOWED", "CSRF_TOKEN_WRONG"];
      for (const code of [...common, ...(access === "member" ? ofSession : []), ...errors]) {
        const { status, message } = errorCatalogue[code];
        const response = responses[status];
        assert.ok(response, `${id} lacks ${status}`);
        assert.ok(follow(response).description.includes(`\`${code}\`: ${message}`), `${id} lacks ${code}`);
      }
    }
  });

  test("body and success answer are there exactly when the operation has them", () => {
    for (const { path, method, body, success, id } of all) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      assert.equal(operation?.requestBody !== undefined, body !== undefined, id);
      for (const status of successStatuses(success)) {
        const answer = operation?.responses[status];
        assert.ok(answer, `${id} lacks ${status}`);
        assert.equal(follow(answer).content !== undefined, success.schema !== undefined && status !== 204, id);
      }
    }
  });

  test("parameters say what the schemas say", () => {
    const parameters = document.paths["/v1/messages"]?.get?.parameters ?? [];
    const byName = new Map(parameters.map((one) => follow(one)).map((parameter) => [parameter.name, parameter]));
    assert.deepEqual(byName.get("transactionId"), {
      name: "transactionId",
      in: "query",
      required: false,
      schema: { type: "array", items: { type: "string" } },
      style: "form",
      explode: true,
    });
    assert.deepEqual(byName.get("limit")?.schema, { type: "integer", minimum: 1, default: 10, maximum: 1000 });
    assert.deepEqual(byName.get("channel")?.schema, { $ref: "#/components/schemas/Channel" });
    assert.equal(byName.get("contextKeys")?.schema.description, undefined);
    assert.match(byName.get("contextKeys")?.description ?? "", /Exact set/);
  });
});

describe("consistent", () => {
  const nodes = [...walk(document)];

  test("all references resolve", () => {
    const references = nodes.filter(({ key, value }) => key === "$ref" && typeof value === "string");
    assert.ok(references.length > 0);
    for (const { place, value } of references) assert.ok(resolve(String(value)), `${place} → ${value}`);
  });

  test("nothing is undefined, and a JSON round trip changes nothing", () => {
    for (const { place, value } of nodes) assert.notEqual(value, undefined, place);
    assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
  });

  test("a component's name is its title, and no titled schema is left inline", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) assert.equal(schema.title, name);
    const inline = nodes.filter(
      ({ place, key, value }) =>
        key === "title" &&
        typeof value === "string" &&
        !/^#\/components\/schemas\/[^/]+\/title$/.test(place) &&
        !/\/(default|examples|const)\//.test(place) &&
        place !== "#/info/title",
    );
    assert.deepEqual(inline, []);
  });

  test("the same source gives the same text", () => {
    assert.equal(JSON.stringify(openApiDocument({ version: "1.2.3" })), JSON.stringify(document));
    const names = Object.keys(document.components.schemas);
    assert.deepEqual(names, [...names].sort());
  });
});

describe("by the rules of OpenAPI 3.1", () => {
  test("head, licence and security", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, "1.2.3");
    assert.equal(document.info.license.identifier, "MIT");
    for (const requirement of document.security) {
      for (const name of Object.keys(requirement)) assert.ok(document.components.securitySchemes[name]);
    }
    for (const group of Object.values(document.components)) {
      for (const name of Object.keys(group)) assert.match(name, /^[a-zA-Z0-9._-]+$/);
    }
  });

  test("path templates and path parameters agree, and parameters are unique", () => {
    for (const { path, operation } of described) {
      const parameters = operation.parameters.map((one) => follow(one));
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      const templates = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(inPath.map(({ name }) => name).sort(), templates.sort(), operation.operationId);
      assert.ok(inPath.every(({ required }) => required));
      const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      assert.equal(new Set(keys).size, keys.length, operation.operationId);
      const hasKey = operation.security === undefined;
      assert.equal(keys.includes("header idempotency-key"), hasKey, operation.operationId);
    }
  });

  test("methods, tags, status codes and descriptions", () => {
    const tags = document.tags.map(({ name }) => name);
    assert.equal(new Set(tags).size, tags.length);
    for (const { method, operation } of described) {
      assert.match(method, /^(get|put|post|delete|patch)$/);
      assert.ok(operation.tags.every((tag) => tags.includes(tag)));
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.match(status, /^[1-5]\d\d$/);
        assert.ok(follow(response).description.length > 0);
      }
    }
  });

  test("schemas carry no keyword of our own validator", () => {
    const text = JSON.stringify(document);
    for (const word of ["maxJsonBytes", "email-address", "iso-time", "~kind"]) assert.ok(!text.includes(word), word);
  });
});

describe("named schemas", () => {
  test("a title with two shapes is refused, with the same shape it is one component", () => {
    const { visit, sorted } = schemaCollector();
    const point = () => ({ title: "Point", type: "object", properties: { x: { type: "number" } } });
    assert.deepEqual(visit(point()), { $ref: "#/components/schemas/Point" });
    assert.deepEqual(visit({ type: "array", items: point() }).items, { $ref: "#/components/schemas/Point" });
    assert.deepEqual(Object.keys(sorted()), ["Point"]);
    assert.throws(() => visit({ ...point(), required: ["x"] }), /title Point/);
  });

  test("a property called title is no title, and a size limit becomes a sentence", () => {
    const { visit, sorted } = schemaCollector();
    const schema = { type: "object", properties: { title: { type: "string" } }, maxJsonBytes: 65_536 };
    assert.deepEqual(visit(schema), {
      type: "object",
      properties: { title: { type: "string" } },
      description: "At most 64 KB of JSON",
    });
    assert.deepEqual(sorted(), {});
  });
});
