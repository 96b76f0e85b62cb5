// Every operation for every role: a refusal names the role that may call it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isRoleEnough,
  membersWith,
  type Operation,
  type OperationId,
  operations,
  requiredRoleOf,
  roles,
} from "@tidings/contract";
import { errorOf } from "@tidings/testkit/http";
import type { Scene } from "./scene.ts";

const all = Object.values(operations) as Operation[];
const paramsOf = ({ path }: Operation) =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, "any"]));

/** Would end the session that the next operations need. */
const ending = new Set(["auth.signOut", "auth.signOutEverywhere"]);

export function testRoles({ people }: Scene): void {
  for (const operation of all) {
    const needed = requiredRoleOf(operation);
    if (needed === null) continue;
    test(`${operation.id} needs ${needed}`, async () => {
      for (const role of roles) {
        const isAllowed = isRoleEnough(role, needed);
        if (isAllowed && ending.has(operation.id)) continue;
        const input = { params: paramsOf(operation), ...(operation.body && { body: {} }) };
        const reply = await (await people())[role].call(operation.id as OperationId, input);
        if (isAllowed) {
          assert.ok(![401, 403].includes(reply.status), `${role}: ${reply.status} ${reply.text}`);
          continue;
        }
        const { message } = errorOf(reply, "ROLE_NOT_ALLOWED");
        assert.equal(message, `Only ${membersWith[needed]} can do this. Your role is ${role}: ask an owner for access`);
      }
    });
  }
}
