import assert from "node:assert/strict";
import { test } from "node:test";
import { commonErrors, errorCatalogue, operations, rateCategories } from "@tidings/contract";
import { errorOf, exchange, operationIds, operationOf } from "@tidings/testkit/http";
import { startTestService } from "@tidings/testkit/service";
import { handlerOf, routes } from "../../src/http/routes.ts";
import { inputIds, makeThings, validInput } from "../support/inputs.ts";

const service = await startTestService({ TIDINGS_ROLE: "api" });

test("every operation has a handler, and there is no handler without an operation", () => {
  assert.deepEqual(Object.keys(routes).sort(), Object.keys(operations).sort());
  for (const id of operationIds) {
    const parts = Object.values(handlerOf(id));
    assert.ok(parts.length > 0, id);
    for (const part of parts) assert.equal(typeof part, "function", id);
  }
});

/**
 * Canceling returns false when nothing was waiting; subscribing creates the topic it names; an inbox has no such
 * subscription or browser.
 */
const withoutMissing = new Set<string>([
  ...["events.cancel", "topicSubscriptions.create", "inbox.createSubscription"],
  ...["inbox.listSubscriptions", "inbox.retrieveSubscription", "inbox.unsubscribeWebPush"],
]);

test("every operation is complete: its own name, a category, a success, errors that exist", () => {
  const places = new Set<string>();
  for (const id of operationIds) {
    const operation = operationOf(id);
    assert.equal(operation.id, id);
    assert.match(id, /^[a-z][a-zA-Z]*\.[a-z][a-zA-Z]*$/);
    assert.match(operation.path, /^\/v[12]\/[a-z-]+(\/([a-z-]+|\{\w+\}))*$/);
    assert.ok(rateCategories.includes(operation.category), `${id} has no rate category`);
    assert.ok([200, 201, 202, 204].includes(operation.success.status), id);
    // Existing clients expect 200 of a deleted environment, without a body all the same.
    const isEmpty = operation.success.status === 204 || id === "environments.delete";
    assert.equal(operation.success.schema === undefined, isEmpty, id);
    assert.ok(operation.summary.length > 0);

    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const declared = Object.keys((operation.params as { properties?: object } | undefined)?.properties ?? {});
    assert.deepEqual(declared.sort(), inPath.sort(), `${id}: params and path differ`);
    // Removing some of a list names them in a body; for subscriptions, the contract says so.
    const hasNoBody = operation.method === "GET" || operation.method === "DELETE";
    if (hasNoBody && id !== "topicSubscriptions.delete" && id !== "audiences.removeMembers")
      assert.equal(operation.body, undefined, id);

    assert.equal(new Set(operation.errors).size, operation.errors.length, `${id} names an error twice`);
    for (const code of operation.errors) {
      assert.ok(code in errorCatalogue, `${id} declares ${code}, which does not exist`);
      assert.ok(!(commonErrors as readonly string[]).includes(code), `${id} declares ${code}, which all have`);
    }
    if (inPath.length > 0 && !withoutMissing.has(id)) {
      assert.ok(
        operation.errors.some((code) => code.endsWith("_NOT_FOUND")),
        `${id} cannot say that a thing is missing`,
      );
    }
    const place = `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, "{}")}`;
    assert.ok(!places.has(place), `${place} is taken twice`);
    places.add(place);
  }
});

test("every error has a status, a message and a reason; every common one is in the catalogue", () => {
  for (const [code, { status, message, when }] of Object.entries(errorCatalogue)) {
    assert.match(code, /^[A-Z][A-Z_]+$/);
    assert.ok(status >= 400 && status <= 503, code);
    assert.ok(message.length > 0 && when.length > 0, code);
  }
  for (const code of commonErrors) assert.ok(code in errorCatalogue);
});

for (const id of inputIds) {
  test(`${id} answers at its path with its status and its rate category`, async () => {
    const things = await makeThings(service.client, `route-${id}`);
    const reply = await exchange(service, id, validInput[id](things, `route-${id}`));
    if (id === "notifications.retrieve") errorOf(reply, "NOTIFICATION_NOT_FOUND");
    else assert.equal(reply.status, operationOf(id).success.status, reply.text);
    assert.match(reply.headers.get("ratelimit-policy")!, new RegExp(`category="${operationOf(id).category}"`));
  });
}
