// The value of a variable in sample data. Pure.

/** The value at a path such as `payload.items.name`; of a list on the way, its first item is meant. */
export function sampleAt(samples: unknown, name: string): unknown {
  return name.split(".").reduce<unknown>((value, part) => {
    const from = Array.isArray(value) ? value[0] : value;
    return typeof from === "object" && from !== null ? (from as Record<string, unknown>)[part] : undefined;
  }, samples);
}
