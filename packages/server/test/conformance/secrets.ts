// What people see of secrets: every operation and made-up responses, for every role. A secret that the role may not see
// is in no response, and no response fails because a secret in it is masked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isForMembers, type Operation, operations, roles, type SecretMark, secretKeyword } from "@tidings/contract";
import { serialize } from "../../src/http/request/call.ts";
import { hideFrom } from "../../src/http/request/visible-fields.ts";
import { compileBody } from "../../src/validation.ts";
import { harmless, suspicious } from "./secret-names.ts";
import { type Canaries, canariesIn, isSeenBy, maxAlternatives, sampleOf } from "./secret-samples.ts";

const all = (Object.values(operations) as Operation[]).filter(isForMembers);

export function testSecrets(): void {
  test("every operation's answer, with a canary in every secret, shows each role what it may see and nothing else", () => {
    let count = 0;
    for (const operation of all) {
      const { schema } = operation.success;
      if (!schema) continue;
      for (let variant = 0; variant < maxAlternatives(schema); variant++) {
        const canaries: Canaries = new Map();
        const answer = sampleOf(schema as never, variant, canaries);
        for (const role of roles) {
          const { body } = serialize(operation, answer, role);
          const found = canariesIn(body!);
          const shown = [...canaries.keys()].filter((canary) => found.has(canary));
          const expected = [...canaries].filter(([, least]) => isSeenBy(role, least)).map(([canary]) => canary);
          assert.deepEqual(shown, expected, `${operation.id} for ${role}`);
          count += canaries.size;
        }
        const found = canariesIn(serialize(operation, answer, undefined).body!);
        assert.ok(
          [...canaries.keys()].every((canary) => found.has(canary)),
          operation.id,
        );
      }
    }
    assert.ok(count > 1_000, `${count}`);
  });

  test("every member of an answer whose name sounds like a secret is marked, or harmless for the reason above", () => {
    const found = new Set<string>();
    const visit = (schema: unknown, place: string, isCovered: boolean): void => {
      if (typeof schema !== "object" || schema === null) return;
      if (Array.isArray(schema)) {
        for (const one of schema) visit(one, place, isCovered);
        return;
      }
      const { title = place, properties = {}, ...rest } = schema as Record<string, never> & { properties?: object };
      const covered = isCovered || secretKeyword in schema;
      for (const [name, member] of Object.entries(properties)) {
        const field = `${title}.${name}`;
        const isMarked = covered || secretKeyword in (member as object);
        if (!isMarked && suspicious.test(name)) found.add(field);
        visit(member, field, covered);
      }
      for (const [keyword, below] of Object.entries(rest))
        if (/^(anyOf|oneOf|allOf|items|additionalProperties|patternProperties|contentSchema|\^.*)$/.test(keyword))
          visit(below, title, covered);
    };
    for (const { id, success } of all) visit(success.schema, id, false);
    assert.deepEqual(
      [...found].filter((field) => !harmless.some(([pattern]) => pattern.test(field))),
      [],
    );
  });

  test("what a customer stores is shown as it is, whatever its members are called", () => {
    const data = { deviceTokens: ["a"], credentials: { webhookUrl: "b" }, accessToken: "c", apiKeys: ["d"], url: "e" };
    const subscriber = { subscriberId: "ada", data, deleted: false, _organizationId: "o", _environmentId: "e" };
    const answer = { data: [{ ...subscriber, createdAt: "t", updatedAt: "t" }] };
    const { schema } = operations["subscribers.list"].success;
    assert.deepEqual(hideFrom("viewer", schema, answer), answer);
  });

  test("a mask fits wherever an answer may have one", () => {
    const visit = (schema: unknown): void => {
      if (typeof schema !== "object" || schema === null) return;
      const mark = (schema as Record<string, unknown>)[secretKeyword] as SecretMark | undefined;
      if (mark && (schema as { type?: string }).type === "string") assert.ok(compileBody(schema as never)("********"));
      Object.values(schema).forEach(visit);
    };
    for (const { success } of all) visit(success.schema);
  });
}
