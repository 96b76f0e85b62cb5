// Which API keys open inboxes: those that may create tokens of inboxes, and have not expired. A key that only reads
// must not be able to sign hashes, with which anybody's inbox could be opened and changed.
import { isInScope, operations } from "@tidings/contract";
import type { Ctx } from "../../context.ts";
import type { KeyRights } from "../../store/environments/api-keys.ts";

type Rights = Pick<KeyRights, "scope" | "operations" | "expiresAt">;

export const mayOpenInboxes = ({ now }: Pick<Ctx, "now">, key: Rights): boolean =>
  (key.expiresAt === null || key.expiresAt > now()) && isInScope(key, operations["inbox.createToken"]);
