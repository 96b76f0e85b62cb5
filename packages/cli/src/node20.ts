// What Node 20 lacks of the language and this program uses. Imported first.
type Groups = typeof Map.groupBy;

Map.groupBy ??= ((items: Iterable<unknown>, keyOf: (item: unknown, index: number) => unknown) => {
  const groups = new Map<unknown, unknown[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key)!.push(item);
  }
  return groups;
}) as Groups;

export {};
