// Every list of the contract keeps to its limits and pages through all of its items once, in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Operation, type OperationId, operations } from "@tidings/contract";
import type { RawInput } from "@tidings/testkit/client";
import { eventually } from "@tidings/testkit/wait";
import type { Scene } from "./scene.ts";

type Body = Record<string, unknown>;
type Limit = { minimum: number; maximum: number };

const membersOf = (schema: unknown) => ((schema as { properties?: Body } | undefined)?.properties ?? {}) as Body;
const limited = (Object.values(operations) as Operation[]).filter(({ query }) => "limit" in membersOf(query));
const listMember = ({ success }: Operation): string | undefined =>
  Object.entries(membersOf(success.schema)).find(([, schema]) => (schema as Body).type === "array")?.[0];

/** What has to be asked for to get the page behind this one; undefined at the end. */
function following(operation: Operation, query: Body, page: Body, count: number): Body | undefined {
  if (count === 0) return undefined;
  if ("next" in membersOf(operation.success.schema)) {
    const name = "cursor" in membersOf(operation.query) ? "cursor" : "after";
    return page.next ? { ...query, [name]: page.next } : undefined;
  }
  if ("page" in membersOf(operation.query))
    return page.hasMore ? { ...query, page: Number(query.page ?? 0) + 1 } : undefined;
  const isLast = "hasMore" in membersOf(operation.success.schema) && !page.hasMore;
  return isLast ? undefined : { ...query, offset: Number(query.offset ?? 0) + count };
}

export function testLists({ probe, inputs }: Scene): void {
  for (const operation of limited) {
    const id = operation.id as OperationId;
    const { maximum } = membersOf(operation.query).limit as Limit;
    const member = listMember(operation);

    test(`${id} honours limit 1 to ${maximum}`, async () => {
      const input = await inputs.keep(operation);
      const ask = (query: Body): ReturnType<typeof probe> =>
        probe(id, { ...input, query: { ...input.query, ...query } });
      for (const limit of [1, maximum]) assert.equal((await ask({ limit })).status, 200, `limit ${limit}`);
      for (const limit of [maximum + 1, 0, -1, 1.5, "many"]) {
        const answer = await ask({ limit });
        assert.equal(answer.status, 422, `limit ${limit}`);
        assert.deepEqual(Object.keys((answer.body as { errors: Body }).errors), ["limit"]);
      }
    });

    // A limit on something else than a page: how many people a dry-run examines.
    if (!member || operation.method !== "GET") continue;
    test(`${id} pages through everything once`, async () => {
      const input: RawInput = await inputs.keep(operation);
      const itemsOf = (body: unknown) => ((body as Body)[member] as Body[]).map((item) => JSON.stringify(item));
      const whole = async () =>
        itemsOf((await probe(id, { ...input, query: { ...input.query, limit: Math.min(maximum, 100) } })).body);
      const walk = async (most: number): Promise<string[]> => {
        const seen: string[] = [];
        let query: Body | undefined = { ...input.query, limit: 1 };
        while (query && seen.length <= most) {
          const answer = await probe(id, { ...input, query });
          const items = itemsOf(answer.body);
          assert.ok(items.length <= 1);
          seen.push(...items);
          query = following(operation, query, answer.body as Body, items.length);
        }
        return seen;
      };
      // Messages may still be on their way into the world: a list that changed meanwhile is walked again.
      const [seen, expected] = await eventually(async () => {
        const before = await whole();
        const walked = await walk(before.length);
        const after = await whole();
        return JSON.stringify(before) === JSON.stringify(after) ? [walked, after] : null;
      }, `${id} to settle`);
      assert.ok(expected.length >= 2, `${expected.length} items are too few to page through`);
      assert.deepEqual(seen, expected);
    });
  }
}
