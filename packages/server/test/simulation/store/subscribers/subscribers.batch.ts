import type { PreferencesOfBatch } from "../../../../src/store/subscribers/subscribers.batch.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/subscribers/subscribers.batch.ts";

export const findPreferencesOfBatch = statement(
  "findPreferencesOfBatch",
  (_tx, _environmentIds: string[], _ids: object): PreferencesOfBatch => ({ rows: [], categories: [] }),
);

export const findSuppressedAddresses = statement("findSuppressedAddresses", () => new Map());
