// The name by which people know an event. Pure.

/** `invoice.number` and 17 as "Invoice number 17". */
export function labelOf({ key, value }: { key: string; value: string }): string {
  const name = key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[._-]+/g, " ")
    .toLowerCase();
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${value}`;
}
