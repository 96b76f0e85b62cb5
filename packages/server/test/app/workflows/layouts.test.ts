// Layouts over HTTP: creating, reading, updating, listing, deleting.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { layoutControlSchema, layoutUiSchema } from "@tidings/contract";
import { assertRefused } from "@tidings/testkit/refusals";
import { shareService } from "@tidings/testkit/service";

const service = await shareService();
const { client, production } = service;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const create = async (layoutId: string, more: object = {}) =>
  (await client("layouts.create", { body: { layoutId, name: `Layout ${layoutId}`, ...more } })).body;
const frame = (body: string) => ({ email: { body, editorType: "html" as const } });

describe("create", () => {
  test("201 with every field; the first one is the default", async () => {
    const answer = await client("layouts.create", { body: { layoutId: "first", name: "Größe Eins" } });
    assert.equal(answer.status, 201);
    const { _id, slug, createdAt, updatedAt, updatedBy, variables, ...rest } = answer.body;
    assert.match(_id, uuid);
    assert.match(slug, /^grosse-eins_lt_[0-9A-Za-z]{22}$/);
    assert.match(createdAt, isoTime);
    assert.equal(updatedAt, createdAt);
    assert.match(updatedBy!._id, uuid);
    const roots = Object.keys((variables as { properties: object }).properties).sort();
    assert.deepEqual(roots, [
      ...[
        "actor",
        "brand",
        "content",
        "context",
        "env",
        "payload",
        "preferencesText",
        "preferencesUrl",
        "steps",
        "subscriber",
      ],
      ...["tenant", "unsubscribeText", "unsubscribeUrl", "workflow"],
    ]);
    assert.deepEqual(rest, {
      layoutId: "first",
      name: "Größe Eins",
      isDefault: true,
      isTranslationEnabled: false,
      origin: "svc-cloud",
      type: "REGULAR",
      controls: {
        dataSchema: layoutControlSchema,
        uiSchema: JSON.parse(JSON.stringify(layoutUiSchema)),
        values: frame("{{ content }}"),
      },
    });
  });

  test("later ones are not; unknown members and __source are ignored; t is a root with translations", async () => {
    const body = await create("second", { isTranslationEnabled: true, __source: "dashboard", extra: 1 });
    assert.equal(body.isDefault, false);
    assert.equal(body.isTranslationEnabled, true);
    assert.ok("t" in (body.variables as { properties: object }).properties);
  });

  test("each environment has its own first", async () => {
    const { body } = await production("layouts.create", { body: { layoutId: "first", name: "Elsewhere" } });
    assert.equal(body.isDefault, true);
  });

  test("faults are reported together, and nothing is written", async () => {
    await assertRefused(
      client,
      "layouts.create",
      { body: { isTranslationEnabled: "yes" } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          layoutId: ["layoutId is required"],
          name: ["name is required"],
          isTranslationEnabled: ["isTranslationEnabled must be a boolean"],
        },
      },
    );
    await assertRefused(
      client,
      "layouts.create",
      { body: { layoutId: "not ok", name: "x".repeat(129) } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          layoutId: ["layoutId has an invalid format"],
          name: ["name must not be longer than 128 characters"],
        },
      },
    );
    await assertRefused(
      client,
      "layouts.create",
      { body: { layoutId: "a".repeat(101), name: "" } },
      {
        code: "VALIDATION_ERROR",
        errors: { layoutId: ["layoutId must not be longer than 100 characters"], name: ["name must not be empty"] },
      },
    );
    const { body } = await client("layouts.list", { query: { query: "not ok" } });
    assert.equal(body.totalCount, 0);
  });

  test("an identifier that is taken is 409; of many at once one is made", async () => {
    await assertRefused(
      client,
      "layouts.create",
      { body: { layoutId: "second", name: "Again" } },
      {
        code: "LAYOUT_ID_TAKEN",
        message: "Layout second already exists",
      },
    );
    const calls = Array.from({ length: 5 }, () =>
      client.raw("layouts.create", { body: { layoutId: "race", name: "Race" } }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409]);
  });

  test("a replay with an idempotency key makes one layout", async () => {
    const input = { body: { layoutId: "replayed", name: "R" }, headers: { "idempotency-key": "layout-1" } };
    const first = await client("layouts.create", input);
    const second = await client("layouts.create", input);
    assert.equal(second.headers.get("idempotency-replay"), "true");
    assert.deepEqual(second.body, first.body);
  });
});

describe("retrieve", () => {
  test("by internal id, identifier and slug", async () => {
    const made = await create("named");
    for (const layoutId of [made._id, made.layoutId, made.slug, `stale-name_lt_${made.slug.slice(-22)}`]) {
      assert.deepEqual((await client("layouts.retrieve", { params: { layoutId } })).body, made);
    }
  });

  test("unknown, impossible and another environment's are 404", async () => {
    const other = (await production("layouts.create", { body: { layoutId: "secret", name: "S" } })).body;
    for (const layoutId of ["nope", other._id, other.slug, "x".repeat(3000), "a\0b"]) {
      const shown = layoutId.replace("\0", "\ufffd");
      await assertRefused(
        client,
        "layouts.retrieve",
        { params: { layoutId } },
        {
          code: "LAYOUT_NOT_FOUND",
          message: `Layout ${shown} not found`,
        },
      );
    }
  });
});

describe("update", () => {
  test("changes name, flag and body; what is left out stays", async () => {
    await create("changing", { isTranslationEnabled: true });
    const params = { layoutId: "changing" };
    const values = frame("<main>{{content}}</main>");
    const { status, body } = await client("layouts.update", { params, body: { name: "New", controlValues: values } });
    assert.equal(status, 200);
    assert.equal(body.name, "New");
    assert.equal(body.isTranslationEnabled, true);
    assert.deepEqual(body.controls.values, values);
    assert.equal(body.issues, undefined);
    assert.ok(body.updatedAt > body.createdAt);
    const kept = (await client("layouts.update", { params, body: { name: "Newer", isTranslationEnabled: false } }))
      .body;
    assert.deepEqual(kept.controls.values, values);
    assert.equal(kept.isTranslationEnabled, false);
  });

  test("null takes the body away; unknown members of the values are dropped", async () => {
    await create("emptied");
    const params = { layoutId: "emptied" };
    const { body } = await client("layouts.update", { params, body: { name: "E", controlValues: null } });
    assert.deepEqual(body.controls.values, {});
    assert.equal(body.issues?.controls?.["email.body"]?.[0]?.issueType, "MISSING_VALUE");
    const email = { body: "{{content}}", editorType: "html", color: "red" };
    const given = { name: "E", controlValues: { email, sms: { body: "x" } } };
    const answer = await client.raw("layouts.update", { params, body: given });
    const { controls } = answer.body as { controls: { values: object } };
    assert.deepEqual(controls.values, frame("{{content}}"));
  });

  test("422 and 404", async () => {
    const params = { layoutId: "changing" };
    await assertRefused(
      client,
      "layouts.update",
      { params, body: { controlValues: { email: { body: 1 } } } },
      {
        code: "VALIDATION_ERROR",
        errors: {
          name: ["name is required"],
          "controlValues.email.body": ["controlValues.email.body must be a string"],
          "controlValues.email.editorType": ["controlValues.email.editorType is required"],
        },
      },
    );
    await assertRefused(
      client,
      "layouts.update",
      { params },
      {
        code: "VALIDATION_ERROR",
        errors: { general: ["Request body is required"] },
      },
    );
    const unknown = { params: { layoutId: "nope" }, body: { name: "X" } };
    await assertRefused(client, "layouts.update", unknown, { code: "LAYOUT_NOT_FOUND" });
    await assertRefused(production, "layouts.update", { params, body: { name: "X" } }, { code: "LAYOUT_NOT_FOUND" });
  });
});

describe("list", () => {
  test("pages, orders, searches and counts", async () => {
    for (const name of ["Zeta", "Alpha", "Midway"]) {
      await client("layouts.create", { body: { layoutId: `listed-${name.toLowerCase()}`, name } });
    }
    const list = async (query: Record<string, unknown>) =>
      (await client.raw("layouts.list", { query })).body as { layouts: { name: string }[]; totalCount: number };
    const names = async (query: object) =>
      (await list({ query: "LISTED", ...query })).layouts.map((layout) => layout.name);
    assert.deepEqual(await names({}), ["Midway", "Alpha", "Zeta"]);
    assert.deepEqual(await names({ orderDirection: "ASC" }), ["Zeta", "Alpha", "Midway"]);
    assert.deepEqual(await names({ orderBy: "name", orderDirection: "ASC" }), ["Alpha", "Midway", "Zeta"]);
    await client("layouts.update", { params: { layoutId: "listed-zeta" }, body: { name: "Zeta" } });
    assert.deepEqual(await names({ orderBy: "updatedAt" }), ["Zeta", "Midway", "Alpha"]);
    assert.deepEqual(await names({ limit: 1, offset: 1 }), ["Alpha"]);
    assert.equal((await list({ query: "listed", limit: 1 })).totalCount, 3);
    assert.deepEqual(
      (await list({ query: "alph" })).layouts.map(({ name }) => name),
      ["Alpha"],
    );
    assert.deepEqual(await list({ query: "no such thing" }), { layouts: [], totalCount: 0 });
    assert.deepEqual((await list({ offset: 1_000_000 })).layouts, []);
  });

  test("422 for every parameter out of bounds", async () => {
    const query = { limit: 101, offset: -1, orderBy: "size", orderDirection: "UP" };
    await assertRefused(
      client,
      "layouts.list",
      { query },
      {
        code: "VALIDATION_ERROR",
        errors: {
          limit: ["limit must not be greater than 100"],
          offset: ["offset must not be less than 0"],
          orderBy: ["orderBy must be one of: createdAt, updatedAt, name"],
          orderDirection: ["orderDirection must be one of: ASC, DESC"],
        },
      },
    );
  });
});

test("a change that was made on an older state of the layout is refused, and nothing is overwritten", async () => {
  const { body: made } = await client("layouts.create", { body: { layoutId: "shared", name: "Shared" } });
  const params = { layoutId: "shared" };
  const expectedUpdatedAt = made.updatedAt;
  const { body: first } = await client("layouts.update", { params, body: { name: "First", expectedUpdatedAt } });
  await assertRefused(
    client,
    "layouts.update",
    { params, body: { name: "Second", expectedUpdatedAt } },
    {
      code: "LAYOUT_CHANGED",
      message: `Layout shared has changed since ${expectedUpdatedAt}: its last change was at ${first.updatedAt}`,
    },
  );
  assert.equal((await client("layouts.retrieve", { params })).body.name, "First");
});
