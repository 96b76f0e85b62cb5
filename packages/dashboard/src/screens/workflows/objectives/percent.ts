// The percentage of an objective, as it is typed. Pure.

/** A comma is a decimal point, too. */
export const readPercent = (text: string): number => Number(text.replace(",", ".")) || 0;

/** As the service accepts it. */
export const isPercent = (value: number): boolean =>
  value >= 50 && value <= 99.99 && Number(value.toFixed(2)) === value;
