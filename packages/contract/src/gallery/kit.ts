// What a template of the gallery is, and the words to write one with: blocks of an email, payloads, a scenario.
import type { Scenario } from "../resources/events/scenarios.ts";
import type { StepFile, WorkflowFile } from "../resources/workflows/files.ts";
import type { JsonObject } from "../schema.ts";

export const galleryCategories = ["account", "team", "orders", "billing", "product", "operations"] as const;
type GalleryCategory = (typeof galleryCategories)[number];

export type GalleryTemplate = {
  /** Also the identifier of its workflow, unless another is given. */
  name: string;
  category: GalleryCategory;
  /** What it is for, in one sentence. */
  about: string;
  workflow: WorkflowFile;
  /** A sample that its schema accepts. */
  payload: JsonObject;
  /** What happens in it, as a test: `tidings test` runs it. */
  scenario: Scenario;
};

export type Block = { type: string; attrs?: JsonObject; text?: string; marks?: { type: string }[]; content?: Block[] };

/**
 * Text with `{{ payload.name }}` and `{{ payload.name | default: "…" }}` as variables, and `**strong**` words. Other
 * Liquid stays in the text.
 */
function inline(text: string): Block[] {
  return text.split("**").flatMap((part, index) => {
    const marks = index % 2 === 1 ? { marks: [{ type: "bold" }] } : {};
    return part.split(/(\{\{ [\w.]+(?: \| default: "[^"]*")? \}\})/).flatMap((piece): Block[] => {
      const [, id, fallback = ""] = /^\{\{ ([\w.]+)(?: \| default: "([^"]*)")? \}\}$/.exec(piece) ?? [];
      if (id) return [{ type: "variable", attrs: { id, fallback }, ...marks }];
      return piece === "" ? [] : [{ type: "text", text: piece, ...marks }];
    });
  });
}

export const heading = (text: string, level = 2): Block => ({
  type: "heading",
  attrs: { level },
  content: inline(text),
});

export const paragraph = (text: string, textAlign = "left"): Block => ({
  type: "paragraph",
  attrs: { textAlign },
  content: inline(text),
});

/** A code that readers copy by hand. */
export const code = (text: string): Block => ({
  type: "heading",
  attrs: { level: 1, textAlign: "center" },
  content: inline(text),
});

export const button = (text: string, url: string): Block => ({ type: "button", attrs: { text, url } });

export const divider: Block = { type: "horizontalRule" };

/** The blocks for each item; variables of an item are named after the list: `payload.items.name`. */
export const repeat = (each: string, ...content: Block[]): Block => ({ type: "repeat", attrs: { each }, content });

export const onlyIf = (showIfKey: string, block: Block): Block => ({
  ...block,
  attrs: { ...block.attrs, showIfKey },
});

export const small = (text: string): Block => ({ type: "footer", content: inline(text) });

type Part = Partial<StepFile> & { controlValues?: JsonObject };

export const mail = (subject: string, blocks: Block[], part: Part = {}): StepFile => ({
  stepId: "mail",
  name: "Email",
  type: "email",
  ...part,
  controlValues: {
    subject,
    editorType: "block",
    body: JSON.stringify({ type: "doc", content: blocks }),
    ...part.controlValues,
  },
});

/** With a button that opens `url`. */
export const inbox = (
  subject: string,
  body: string,
  { label, url, ...part }: Part & { label?: string; url?: string } = {},
): StepFile => ({
  stepId: "inbox",
  name: "In-app",
  type: "in_app",
  ...part,
  controlValues: {
    subject,
    body,
    ...(url && { redirect: { url, target: "_self" } }),
    ...(label && url && { primaryAction: { label, redirect: { url, target: "_self" } } }),
    ...part.controlValues,
  },
});

export const sms = (body: string, part: Part = {}): StepFile => ({
  stepId: "text",
  name: "SMS",
  type: "sms",
  ...part,
  controlValues: { body, ...part.controlValues },
});

export const push = (subject: string, body: string, part: Part = {}): StepFile => ({
  stepId: "push",
  name: "Push",
  type: "push",
  ...part,
  controlValues: { subject, body, ...part.controlValues },
});

export const chat = (body: string): StepFile => ({
  stepId: "chat",
  name: "Chat",
  type: "chat",
  controlValues: { body },
});

/** Skips the step once the in-app message was read. */
export const unlessRead = { skip: { "==": [{ var: "steps.inbox.read" }, true] } };

/** Subscribers cannot switch it off, and its mails have no unsubscribe link. */
export const critical = { preferences: { workflow: { all: { enabled: true, readOnly: true } } } } as const;

/** The schema of a payload whose members are all required, apart from `optional` ones. */
export const payloadOf = (properties: Record<string, JsonObject>, optional: readonly string[] = []): JsonObject => ({
  type: "object",
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

export const text = (description: string): JsonObject => ({ type: "string", description });
export const number = (description: string): JsonObject => ({ type: "number", description });
export const listOf = (properties: Record<string, JsonObject>): JsonObject => ({
  type: "array",
  items: payloadOf(properties),
});

const ada = { subscriberId: "ada", firstName: "Ada", email: "ada@example.com", phone: "+15005550006" };

type ScenarioParts = Pick<Scenario, "name"> & {
  payload: JsonObject;
  when?: Scenario["when"];
  /** All messages that are sent. */
  messages: Scenario["then"];
};

/** One event for Ada, unless `when` says otherwise. */
export const scenarioOf = (trigger: string, { name, payload, when, messages }: ScenarioParts): Scenario => ({
  name,
  given: { time: "2026-03-02T09:00:00Z", subscribers: [{ ...ada, channels: ["chat"] }] },
  when: when ?? [{ at: "+0m", trigger, to: "ada", payload }],
  // biome-ignore lint/suspicious/noThenProperty: the format of scenarios has this member
  then: messages,
});
