// Who does something, as the audit log and the records of jobs name them.
import type { Caller, MemberCaller } from "../../context.ts";
import type { Actor } from "./audit.ts";

export type AnyCaller = Caller | MemberCaller;

export const isInEnvironment = (caller: AnyCaller): caller is Caller => "environmentId" in caller;

export function actorOf(caller: AnyCaller): Actor {
  if (!isInEnvironment(caller) || caller.member) {
    const { id, email } = caller.member!;
    return { kind: "person", id, name: email };
  }
  return { kind: "key", id: caller.apiKeyId, name: keyNameOf(caller) };
}

/** An API key by its name, if it has one. */
export const keyNameOf = ({ key, environmentIdentifier }: Caller): string =>
  key?.name ? `${key.name} (API key of ${environmentIdentifier})` : `API key of ${environmentIdentifier}`;
