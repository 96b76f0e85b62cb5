// What people see of an answer: the secrets that the contract marks are hidden from roles that may not see them. Programs with
// an API key get answers as they are.
import { isRoleEnough, type Role, secretPlacesOf } from "@tidings/contract";
import { hideSecrets } from "../../lib/hidden-secrets.ts";

/** `schema`: of the answer. */
export const hideFrom = (role: Role, schema: object, answer: unknown): unknown =>
  hideSecrets(secretPlacesOf(schema), answer, (mark) => mark.role === "none" || !isRoleEnough(role, mark.role));
