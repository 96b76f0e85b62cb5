export const words = { hint: "Name or id of an audience" } as const;
