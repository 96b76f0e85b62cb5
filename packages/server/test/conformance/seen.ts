// Records which documented fields have occurred in responses, by schema.
type Schema = Record<string, unknown>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const branchesOf = (schema: Schema): Schema[] => [
  schema,
  ...["anyOf", "oneOf", "allOf"].flatMap((name) => ((schema[name] as Schema[]) ?? []).flatMap(branchesOf)),
];

export function createFieldBook() {
  const documented = new Set<string>();
  const seen = new Set<string>();

  const visit = (schema: Schema, value: unknown, place: string): void => {
    for (const branch of branchesOf(schema)) {
      const here = (branch.title as string | undefined) ?? place;
      for (const [name, member] of Object.entries((branch.properties as Record<string, Schema>) ?? {})) {
        const field = `${here}.${name}`;
        const given = isObject(value) ? value[name] : undefined;
        documented.add(field);
        if (given !== undefined) seen.add(field);
        visit(member, given, field);
      }
      const items = Array.isArray(value) ? value : [undefined];
      if (isObject(branch.items)) for (const item of items) visit(branch.items, item, place);
    }
  };

  return {
    record: (schema: object, value: unknown, operation: string) => visit(schema as Schema, value, operation),
    /** Documented fields that no response had. */
    unseen: () => [...documented].filter((field) => !seen.has(field)).sort(),
  };
}
