// Ids of audiences, as the service accepts them.
import { isIdentifier } from "../../fields/identifier.ts";

/** `new` is the address of the form for a new one. */
export const isUsableId = (id: string): boolean => isIdentifier(id) && id !== "new";
