// A target of alerts in a few words.
import type { AlertTarget } from "@tidings/contract";
import { words } from "./words.ts";

export function nameTarget({ type, to = [], host }: AlertTarget): string {
  if (type === "owners") return words.targets.owners;
  const address = type === "email" ? to.join(", ") : host;
  return address ? `${words.targets[type]} (${address})` : words.targets[type];
}
