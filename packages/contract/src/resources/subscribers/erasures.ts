// A person's data: erased in every table, with a signed receipt. The export of the same data is a download
// (exports.ts). An addition of Tidings.
import { operation } from "../../operation.ts";
import { isoTime, named, oneOf, type Static, Type } from "../../schema.ts";

export const erasureStatuses = ["running", "completed"] as const;

export const ErasureReceipt = named("ErasureReceipt", {
  erasureId: Type.String(),
  environmentId: Type.String(),
  pseudonym: Type.String({ description: "What the rows have instead of the subscriber" }),
  subscriberHash: Type.String({
    description: "Keyed hash of the subscriber id; only this installation can compute it",
  }),
  requestedAt: isoTime("When the erasure was requested"),
  completedAt: isoTime("When the last table was done"),
  tables: Type.Array(
    named("ErasedTable", {
      table: Type.String(),
      action: oneOf(["removed", "rewritten"], { title: "ErasureAction" }),
      what: Type.String(),
      rows: Type.Integer({ description: "Rows that were deleted or rewritten" }),
    }),
  ),
  remains: Type.Array(
    named("ErasureRemainder", {
      what: Type.String(),
      why: Type.String(),
      rows: Type.Optional(Type.Integer()),
    }),
    { description: "What is left, and why" },
  ),
});
export type ErasureReceipt = Static<typeof ErasureReceipt>;

export const Erasure = named("Erasure", {
  id: Type.String(),
  status: oneOf(erasureStatuses, { title: "ErasureStatus" }),
  pseudonym: Type.String({ description: "What the rows have instead of the subscriber" }),
  progress: named("ErasureProgress", {
    pass: Type.Integer({ description: "The second pass goes over what was written during the first one" }),
    done: Type.Integer({ description: "Steps of this pass that are done" }),
    steps: Type.Integer(),
    rows: Type.Integer({ description: "Rows deleted or rewritten so far" }),
  }),
  tables: Type.Record(Type.String(), Type.Integer(), { description: "Rows deleted or rewritten so far, by table" }),
  requestedBy: Type.String({ description: "The address of a member, or the environment of an API key" }),
  createdAt: isoTime("When the erasure was requested"),
  finishedAt: Type.Optional(isoTime("When the last table was done")),
  receipt: Type.Optional(ErasureReceipt),
  signedReceipt: Type.Optional(
    Type.String({ description: "The receipt with a signature; `erasures.verify` checks it" }),
  ),
});
export type Erasure = Static<typeof Erasure>;

/** Texts that a caller may add to those that identify the person. */
export const erasureTerms = { count: 50, minLength: 4, maxLength: 500 };

export const erasureOperations = {
  "subscribers.erase": operation({
    id: "subscribers.erase",
    method: "POST",
    path: "/v2/subscribers/{subscriberId}/erase",
    summary: "Erase a person's data",
    description:
      "Removes or pseudonymises the subscriber in every table, in the background. The profile is gone and open runs " +
      "are canceled when the request returns; `erasures.retrieve` returns the progress and, at the end, a signed " +
      "receipt. Also works for a subscriber that was deleted before. Returns 202, or 200 with the erasure that is " +
      "already running.",
    category: "configuration",
    role: "owner",
    audit: "erasure",
    params: Type.Object({ subscriberId: Type.String() }),
    body: named("EraseIn", {
      terms: Type.Optional(
        Type.Array(Type.String({ minLength: erasureTerms.minLength, maxLength: erasureTerms.maxLength }), {
          maxItems: erasureTerms.count,
          description:
            "Other texts that only this person has, such as a former address or a customer number: they are " +
            "replaced wherever they occur in the environment",
        }),
      ),
    }),
    isBodyOptional: true,
    success: { status: 202, also: 200, schema: Erasure },
    errors: ["SUBSCRIBER_NOT_FOUND"],
  }),
  "erasures.retrieve": operation({
    id: "erasures.retrieve",
    method: "GET",
    path: "/v2/erasures/{erasureId}",
    summary: "Retrieve an erasure with its progress and its receipt",
    category: "configuration",
    params: Type.Object({ erasureId: Type.String() }),
    success: { status: 200, schema: Erasure },
    errors: ["ERASURE_NOT_FOUND"],
  }),
  "erasures.verify": operation({
    id: "erasures.verify",
    method: "POST",
    path: "/v2/erasures/verify",
    summary: "Verify the receipt of an erasure",
    description:
      "Checks the signature, which only this installation can make. With `subscriberId`, also whether the receipt is " +
      "about this subscriber.",
    category: "configuration",
    isReadOnly: true,
    body: named("ErasureVerifyIn", {
      signedReceipt: Type.String({ minLength: 1, maxLength: 100_000 }),
      subscriberId: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    }),
    success: {
      status: 200,
      schema: named("ErasureVerification", {
        isValid: Type.Boolean({ description: "false: changed, or signed by another installation or environment" }),
        isAboutSubscriber: Type.Optional(Type.Boolean({ description: "Only if `subscriberId` was given" })),
        receipt: Type.Optional(ErasureReceipt),
      }),
    },
    errors: [],
  }),
};
