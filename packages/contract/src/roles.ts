// Roles of people. A role may do all that the roles before it may; permissions.ts says what each of them may do.
export const roles = ["viewer", "support", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

export const isRoleEnough = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);
