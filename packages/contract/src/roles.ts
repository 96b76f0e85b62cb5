// Roles of members. Each role includes the permissions of the roles before it; permissions.ts and an operation's `role`
// define them.
export const roles = ["viewer", "support", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

export const isRoleEnough = (role: Role, required: Role): boolean => roles.indexOf(role) >= roles.indexOf(required);

/** Who has at least this role, for "Only … can do this". */
export const membersWith: Record<Role, string> = {
  viewer: "signed-in people",
  support: "support, editors and owners",
  editor: "editors and owners",
  owner: "owners",
};
