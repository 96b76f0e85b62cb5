// Roles of people. A role may do all that the roles before it may; permissions.ts says what each of them may do.
export const roles = ["viewer", "support", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

export const isRoleEnough = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/** Who may do what needs this role at least, for "Only … can do this". */
export const peopleWith: Record<Role, string> = {
  viewer: "signed-in people",
  support: "support, editors and owners",
  editor: "editors and owners",
  owner: "owners",
};
