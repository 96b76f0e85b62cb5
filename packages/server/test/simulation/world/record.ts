// What a simulation asked of its database, in the order in which it was done: replay.rest.test.ts asks PostgreSQL the
// same.

/** `tx`: the number of the transaction. `result`: what the statement returned, or that its claim was lost. */
export type RecordedCall = { tx: number; name: string; args: unknown[]; result: unknown; isLost: boolean };

type RecordedEnd = { tx: number; end: "commit" | "rollback" };

export type Recording = (RecordedCall | RecordedEnd)[];
