// Good inputs of what is done in the background: imports and bulk preferences, erasures.
import type { OperationId } from "@tidings/contract";
import { eventually } from "@tidings/testkit/wait";
import { type Fixture, listOf } from "./inputs.ts";
import type { World } from "./world.ts";

const fileOf = (w: World) => ({
  kind: "subscribers" as const,
  csv: `subscriberId,email\n${w.unique("person")},ada@example.com\nx y,\nz z,\n${w.unique("person")},nowhere`,
  fileName: "people.csv",
});

/** An import with three invalid rows, finished. */
async function imported(w: World) {
  const { id: importId } = (await w.client("imports.create", { body: fileOf(w) })).body;
  return eventually(async () => {
    const { body } = await w.client("imports.retrieve", { params: { importId } });
    return body.status === "completed" ? { importId } : null;
  }, "the import");
}
const makers = new WeakMap<World, () => ReturnType<typeof imported>>();
const ofImport: Fixture = async (w) => {
  const make = makers.get(w) ?? (() => imported(w));
  makers.set(w, make);
  return { params: await w.once(make) };
};

/** The erasure of a subscriber, ended. */
async function erased(w: World) {
  const { subscriberId } = await w.subscriber();
  const { id: erasureId } = (await w.client("subscribers.erase", { params: { subscriberId }, body: {} })).body;
  return eventually(async () => {
    const { body } = await w.client("erasures.retrieve", { params: { erasureId } });
    return body.status === "completed" ? { erasureId, subscriberId, signedReceipt: body.signedReceipt! } : null;
  }, "the erasure");
}
const erasures = new WeakMap<World, () => ReturnType<typeof erased>>();
const erasureOf = (w: World) => {
  const make = erasures.get(w) ?? (() => erased(w));
  erasures.set(w, make);
  return w.once(make);
};

export const importFixtures: Partial<Record<OperationId, Fixture>> = {
  "imports.list": listOf(imported),
  "imports.create": (w) => ({ body: fileOf(w) }),
  "imports.preview": (w) => ({ body: { ...fileOf(w), csv: "subscriberId,shoe size\nada,38" } }),
  "imports.retrieve": ofImport,
  "imports.listErrors": ofImport,
  "erasures.retrieve": async (w) => ({ params: { erasureId: (await erasureOf(w)).erasureId } }),
  "erasures.verify": async (w) => {
    const { signedReceipt, subscriberId } = await erasureOf(w);
    return { body: { signedReceipt, subscriberId } };
  },
  "preferences.updateMany": async (w) => ({
    body: { subscriberIds: [(await w.once(w.subscriber)).subscriberId, "unknown"], channels: { email: false } },
  }),
};
