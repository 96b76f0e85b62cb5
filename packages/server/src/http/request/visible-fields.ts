// What members see of a response: the secrets that the contract marks are hidden from roles that may not see them. So
// do API keys that may not do everything; a full key gets the whole response.
import { isRoleEnough, type Role, secretPlacesOf } from "@tidings/contract";
import { hideSecrets } from "../../lib/hidden-secrets.ts";

/** `schema`: of the response. */
export const hideFrom = (role: Role, schema: object, answer: unknown): unknown =>
  hideSecrets(secretPlacesOf(schema), answer, (mark) => mark.role === "none" || !isRoleEnough(role, mark.role));
