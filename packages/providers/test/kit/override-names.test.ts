import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "@tidings/contract";
import fc from "@tidings/testkit/properties";
import { type OverrideNames, toApiNames } from "../../src/kit/override-names.ts";

const names: OverrideNames = {
  members: ["ip_pool_name", "MessagingServiceSid", "asm.group_id", "people.send_at", "custom_args"],
  moved: {
    category: (value) => ({ categories: [value].flat() }),
    templateData: (value) => ({ people: [{ template_data: value }] }),
  },
};

describe("names of override members", () => {
  const table: [name: string, given: object, expected: object][] = [
    ["camel case becomes snake case", { ipPoolName: "p" }, { ip_pool_name: "p" }],
    ["camel case becomes Pascal case", { messagingServiceSid: "MG1" }, { MessagingServiceSid: "MG1" }],
    ["members inside a member", { asm: { groupId: 1, other: 2 } }, { asm: { group_id: 1, other: 2 } }],
    ["members of the items of a list", { people: [{ sendAt: 1 }, 2] }, { people: [{ send_at: 1 }, 2] }],
    ["a name of the API", { ip_pool_name: "p" }, { ip_pool_name: "p" }],
    ["a name that is not known", { someThing: { groupId: 1 } }, { someThing: { groupId: 1 } }],
    ["free members of a known member", { customArgs: { userId: 1 } }, { custom_args: { userId: 1 } }],
    ["two spellings of one name", { ipPoolName: "a", ip_pool_name: "b" }, { ipPoolName: "a", ip_pool_name: "b" }],
    ["null", { ipPoolName: null }, { ip_pool_name: null }],
    ["what only the SDK has", { category: "a" }, { categories: ["a"] }],
    [
      "what is moved beside what is given",
      { template_data: { a: 1 }, people: [{ sendAt: 2 }] },
      { people: [{ template_data: { a: 1 }, send_at: 2 }] },
    ],
  ];
  for (const [name, given, expected] of table) {
    it(name, () => assert.deepEqual(toApiNames(given as JsonObject, names), expected));
  }

  it("lose no member and no value, whatever is given", () => {
    const key = fc.constantFrom("ipPoolName", "ip_pool_name", "IP-pool-name", "asm", "groupId", "__proto__", "x");
    const member = fc.tuple(key, fc.jsonValue());
    fc.assert(
      fc.property(fc.array(member), (members) => {
        const given = Object.fromEntries(members);
        const named = toApiNames(given, { members: names.members });
        assert.deepEqual(
          Object.values(named).map((value) => JSON.stringify(value)?.length),
          Object.values(given).map((value) => JSON.stringify(value)?.length),
        );
      }),
      { numRuns: 100 },
    );
  });
});
