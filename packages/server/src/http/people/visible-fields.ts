// What people see of an answer: API keys for owners only, tokens of chat workspaces for none, and addresses and credentials of
// channels for those who may change the configuration. Programs with an API key get answers as they are.
import { isJsonObject, isRoleEnough, type Role } from "@tidings/contract";
import { mask } from "../../lib/secrets.ts";

/** Contents of customers: a field in them means what the customer says. */
const contents = new Set(["payload", "data", "controlValues", "overrides", "content", "body", "customData"]);

type Rule = "remove" | "mask";

/** By name of the field, the least role that sees it; null: no role. */
const hidden: Record<string, { least: Role | null; rule: Rule; only?: string[] }> = {
  apiKeys: { least: "owner", rule: "remove" },
  accessToken: { least: null, rule: "mask" },
  credentials: { least: "editor", rule: "mask" },
  deviceTokens: { least: "editor", rule: "mask" },
  webhookUrl: { least: "editor", rule: "mask" },
  directWebhookUrl: { least: "editor", rule: "mask" },
  // Of the endpoints of a subscriber: an incoming webhook of a chat provider is a secret, an id of a channel is not.
  endpoint: { least: "editor", rule: "mask", only: ["url", "token"] },
};

/** Texts are masked; the shape stays. */
function maskTexts(value: unknown, only?: string[]): unknown {
  if (typeof value === "string") return mask;
  if (Array.isArray(value)) return value.map((item) => maskTexts(item, only));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, only?.includes(name) === false ? member : maskTexts(member)]),
  );
}

export function hideFrom(role: Role, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => hideFrom(role, item));
  // Dates and the like are left to the serialiser.
  if (!isJsonObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (contents.has(name)) return [[name, member]];
      const rule = Object.hasOwn(hidden, name) ? hidden[name]! : undefined;
      if (!rule || (rule.least !== null && isRoleEnough(role, rule.least))) return [[name, hideFrom(role, member)]];
      return rule.rule === "remove" ? [] : [[name, maskTexts(member, rule.only)]];
    }),
  );
}
