// Blocks that are shown to some people only: `showIfKey` names a value, `showIf` is a condition in JSON Logic, which
// the service's own interpreter evaluates with its limits (lib/conditions.ts). With both, both have to hold.
import { conditionFault } from "../../../lib/conditions.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { type Loop, variableName } from "../block-parts.ts";
import { RenderError } from "../liquid.ts";

export function showIfTemplate({ showIfKey, showIf }: JsonObject, loop: Loop, html: string): string {
  const parts = [keyTemplate(showIfKey, loop), ruleTemplate(showIf, loop)].filter((part) => part !== null);
  return parts.reduce(
    (inside, shown) => `{% assign block_shown = ${shown} %}{% if block_shown %}${inside}{% endif %}`,
    html,
  );
}

const keyTemplate = (key: unknown, loop: Loop): string | null =>
  typeof key === "string" && key.trim() !== "" ? `${variableName(key, loop)} | block_shown` : null;

/** An empty rule is none, as for the condition of a step. */
function ruleTemplate(rule: unknown, loop: Loop): string | null {
  if (rule === undefined || rule === null || (isObject(rule) && Object.keys(rule).length === 0)) return null;
  const fault = conditionFault(rule);
  if (fault) throw new RenderError(`the block document has a block whose showIf ${fault}`);
  const encoded = Buffer.from(JSON.stringify(loop ? namedByItem(rule, loop.each) : rule)).toString("base64");
  return `"${encoded}" | block_condition`;
}

/** Inside a loop, `payload.items.name` is the name of the item, as in the rest of the document. */
function namedByItem(rule: unknown, each: string): unknown {
  if (Array.isArray(rule)) return rule.map((part) => namedByItem(part, each));
  if (!isObject(rule)) return rule;
  return Object.fromEntries(
    Object.entries(rule).map(([operator, args]) => [
      operator,
      operator === "var" ? renameItem(args, each) : namedByItem(args, each),
    ]),
  );
}

function renameItem(args: unknown, each: string): unknown {
  if (Array.isArray(args)) return [renameItem(args[0], each), ...args.slice(1)];
  return typeof args === "string" && args.startsWith(`${each}.`) ? `current.${args.slice(each.length + 1)}` : args;
}
