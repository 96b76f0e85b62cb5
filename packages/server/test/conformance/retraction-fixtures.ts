// Fixtures of retractions.
import type { OperationId } from "@tidings/contract";
import { eventually } from "@tidings/testkit/wait";
import type { Fixture } from "./inputs.ts";
import type { World } from "./world.ts";

const reason = "sent by mistake";

/** A retraction that has ended. */
async function takeBack(w: World) {
  const { transactionId } = await w.event();
  const { _id: retractionId } = (await w.client("retractions.create", { body: { transactionId, reason } })).body;
  return eventually(async () => {
    const { body } = await w.client("retractions.retrieve", { params: { retractionId } });
    return body.status === "completed" ? body : null;
  }, "the end of a retraction");
}

export const retractionFixtures: Partial<Record<OperationId, Fixture>> = {
  "retractions.create": async (w) => ({ body: { transactionId: (await w.event()).transactionId, reason } }),
  "retractions.preview": async (w) => ({ body: { transactionId: (await w.once(w.event)).transactionId } }),
  "retractions.list": async (w) => {
    await takeBack(w);
    return {};
  },
  "retractions.retrieve": async (w) => ({ params: { retractionId: (await takeBack(w))._id } }),
};
