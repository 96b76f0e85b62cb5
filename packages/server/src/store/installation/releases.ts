// The releases, and which of them may share a database (docs/decisions/0034-rolling-upgrades.md). A release adds its
// line here: that is what dates its migrations.

/** `newest`: the number of the newest migration of the release. */
export type Release = { version: string; newest: number };

/** The oldest first. */
export const releases: readonly Release[] = [{ version: "0.1.0", newest: 44 }];

/** A release without a migration has the schema of the one before. */
const withOwnSchema = (known: readonly Release[]): Release[] =>
  known.filter(({ newest }, at) => known[at + 1]?.newest !== newest);

/** The place of a migration among the releases. Behind the last one: it belongs to the next release. */
function placeOf(migration: number, known: readonly Release[]): number {
  const found = known.findIndex(({ newest }) => migration <= newest);
  return found < 0 ? known.length : found;
}

/**
 * The newest migration that a program must know to run on a schema with this migration: that of the release before. The
 * first release has none before it.
 */
export function compatibleFrom(migration: number, all: readonly Release[]): number {
  const known = withOwnSchema(all);
  return known[Math.max(0, placeOf(migration, known) - 1)]?.newest ?? migration;
}

/** The releases to go through, where more than one lies between the schema and the program. */
export function findSkipped(schema: number, program: number, all: readonly Release[]): string[] {
  const known = withOwnSchema(all);
  return known.slice(placeOf(schema, known) + 1, placeOf(program, known)).map(({ version }) => version);
}
