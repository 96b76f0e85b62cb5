export const words = { hint: "Name, email address or subscriber id" } as const;
