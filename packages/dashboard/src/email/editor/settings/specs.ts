// The settings of each block: which values of its JSON a person may change, and how. Pure.
import { type JsonMembers, textOf } from "../../document/json.ts";
import { words } from "../../words.ts";

const say = words.fields;

export type SettingSpec = {
  /** The name of the value. */
  name: string;
  label: string;
  hint?: string;
  /** `size`: a line without variables. */
  kind: "line" | "size" | "variable" | "color" | "choice" | "number" | "image" | "alt";
  choices?: Readonly<Record<string, string>>;
  /** Meant where the value is absent. */
  fallback?: string;
  /** Narrow enough to be next to another one. */
  isHalf?: boolean;
  /** Values that the renderer would prefer to this one, removed when it is changed. */
  replaces?: readonly string[];
  /** Older names of the value. */
  also?: readonly string[];
};

const align = (name: string, ...also: string[]): SettingSpec => ({
  name,
  label: say.align,
  kind: "choice",
  choices: say.aligns,
  fallback: "left",
  isHalf: true,
  also,
});
const number = (name: string, label: string, hint?: string): SettingSpec => ({
  name,
  label,
  hint,
  kind: "number",
  isHalf: true,
});
const color = (name: string, label: string, ...also: string[]): SettingSpec => ({
  name,
  label,
  kind: "color",
  isHalf: true,
  also,
});
const line = (name: string, label: string, hint?: string): SettingSpec => ({ name, label, hint, kind: "line" });
const size = (name: string, label: string): SettingSpec => ({
  name,
  label,
  kind: "size",
  isHalf: true,
  hint: say.widthHint,
});

const repeat: SettingSpec[] = [
  { name: "each", label: say.each, hint: say.eachHint, kind: "variable" },
  number("iterations", say.most, say.mostHint),
];

const cell: SettingSpec[] = [align("align"), color("backgroundColor", say.background)];

const padding = ["paddingTop", "paddingRight", "paddingBottom", "paddingLeft"];

export const settingSpecs: Readonly<Record<string, readonly SettingSpec[]>> = {
  paragraph: [align("textAlign")],
  heading: [
    { name: "level", label: say.level, kind: "choice", choices: say.levels, fallback: "1", isHalf: true },
    align("textAlign"),
  ],
  footer: [align("textAlign")],
  orderedList: [number("start", say.start)],
  button: [
    line("text", say.label),
    line("url", say.url, say.urlHint),
    { name: "variant", label: say.look, kind: "choice", choices: say.looks, fallback: "filled", isHalf: true },
    align("alignment"),
    color("buttonColor", say.color, "backgroundColor"),
    color("textColor", say.textColor, "color"),
    {
      name: "borderRadius",
      label: say.corners,
      kind: "choice",
      choices: say.cornerKinds,
      fallback: "smooth",
      isHalf: true,
    },
  ],
  image: [
    { name: "src", label: say.src, kind: "image" },
    { name: "alt", label: say.alt, hint: say.altHint, kind: "alt" },
    line("externalLink", say.link, say.urlHint),
    size("width", say.width),
    align("alignment", "align"),
    number("borderRadius", say.radius),
  ],
  logo: [
    { name: "src", label: say.src, kind: "image" },
    { name: "alt", label: say.alt, hint: say.altHint, kind: "alt" },
    { name: "size", label: say.size, kind: "choice", choices: say.sizes, fallback: "sm", isHalf: true },
    align("alignment", "align"),
  ],
  inlineImage: [
    { name: "src", label: say.src, kind: "image" },
    { name: "alt", label: say.alt, hint: say.altHint, kind: "alt" },
    size("width", say.width),
    size("height", say.height),
  ],
  spacer: [{ name: "height", label: say.height, kind: "choice", choices: say.heights, fallback: "sm" }],
  section: [
    color("backgroundColor", say.background),
    { ...number("padding", say.padding), replaces: padding, also: padding },
    number("borderRadius", say.radius),
    number("borderWidth", say.border),
    color("borderColor", say.borderColor),
    align("align"),
  ],
  column: [
    number("width", say.columnWidth),
    {
      name: "verticalAlign",
      label: say.vertical,
      kind: "choice",
      choices: say.verticals,
      fallback: "top",
      isHalf: true,
    },
  ],
  repeat,
  for: repeat,
  tableCell: cell,
  tableHeader: cell,
  socialLinks: [align("alignment")],
  linkCard: [
    line("title", say.title),
    line("description", say.text),
    line("link", say.url, say.urlHint),
    line("linkTitle", say.linkTitle),
    { name: "badgeText", label: say.badge, kind: "line", isHalf: true },
    { name: "image", label: say.image, kind: "image" },
  ],
  variable: [{ name: "id", label: say.name, kind: "variable" }, line("fallback", say.fallback)],
};

/** The value of a setting as a form shows it. */
export function settingText({ name, also = [] }: SettingSpec, values: JsonMembers): string {
  const value = [name, ...also].map((one) => values[one]).find((one) => one !== undefined && one !== null);
  return textOf(value);
}

/** What a typed text changes. An empty text removes the value; a whole number is stored as one. */
export function settingChange({ name, kind, replaces = [] }: SettingSpec, text: string): JsonMembers {
  const isNumber = (kind === "number" || name === "level") && /^\d{1,4}$/.test(text);
  const value = isNumber ? Number(text) : text === "" && kind !== "alt" ? undefined : text;
  return { ...Object.fromEntries(replaces.map((one) => [one, undefined])), [name]: value };
}
