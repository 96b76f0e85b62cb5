// The contrast of texts in an email to the nearest background, from inline styles and the old attributes. What cannot
// be known is left out: images and gradients behind a text, colours with transparency, links without a colour.
import { Parser } from "htmlparser2";
import { contrastOf, minContrast, type Rgb } from "../../../lib/brand/contrast.ts";

export type LowContrast = { text: string; color: string; background: string; ratio: number };

/** Null: not known. */
type Colors = { color: Rgb | null; background: Rgb | null; isHidden: boolean };

const maxFound = 5;

const names: Record<string, Rgb> = {
  black: [0, 0, 0],
  blue: [0, 0, 255],
  gray: [128, 128, 128],
  green: [0, 128, 0],
  grey: [128, 128, 128],
  navy: [0, 0, 128],
  orange: [255, 165, 0],
  purple: [128, 0, 128],
  red: [255, 0, 0],
  silver: [192, 192, 192],
  white: [255, 255, 255],
  yellow: [255, 255, 0],
};

/** Null for what is not a plain colour. */
export function readColor(text: string): Rgb | null {
  const word = text.trim().toLowerCase();
  if (Object.hasOwn(names, word)) return names[word]!;
  const [, short] = /^#([\da-f]{3})$/.exec(word) ?? [];
  const [, long = short?.replace(/./g, "$&$&")] = /^#([\da-f]{6})$/.exec(word) ?? [];
  if (long !== undefined) {
    const value = Number.parseInt(long, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const [, ...parts] =
    /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:\s*[,/]\s*1(?:\.0*)?)?\s*\)$/.exec(word) ?? [];
  const [red, green, blue] = parts.map((part) => Math.min(255, Number(part)));
  return red === undefined ? null : [red, green!, blue!];
}

const hex = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** The declarations of a style attribute; of a property that occurs twice, the last one counts. */
function readStyle(style = ""): Map<string, string> {
  const pairs = style.split(";").flatMap((declaration): [string, string][] => {
    const colon = declaration.indexOf(":");
    if (colon < 0) return [];
    const value = declaration.slice(colon + 1).replace(/!\s*important/i, "");
    return [[declaration.slice(0, colon).trim().toLowerCase(), value.trim()]];
  });
  return new Map(pairs);
}

const transparent = /^(?:transparent|none|inherit|initial|unset)$/i;

function backgroundOf(style: Map<string, string>, attributes: Record<string, string>, around: Rgb | null): Rgb | null {
  const image = style.get("background-image");
  if ((image !== undefined && !transparent.test(image)) || attributes.background) return null;
  // The shorthand may hold a colour among other words.
  const given = style.get("background-color") ?? style.get("background") ?? attributes.bgcolor;
  if (given === undefined || transparent.test(given)) return around;
  if (/url\(|gradient\(/i.test(given)) return null;
  return readColor(given) ?? given.split(/\s+/).map(readColor).find(Boolean) ?? null;
}

function colorOf(name: string, style: Map<string, string>, attributes: Record<string, string>, around: Rgb | null) {
  const given = style.get("color") ?? (name === "font" ? attributes.color : undefined);
  if (given !== undefined && !/^inherit$/i.test(given)) return readColor(given);
  // Every program has its own colour for links.
  return name === "a" && attributes.href !== undefined && given === undefined ? null : around;
}

const isHiddenBy = (style: Map<string, string>): boolean =>
  style.get("display") === "none" ||
  style.get("visibility") === "hidden" ||
  /^0/.test(style.get("opacity") ?? "1") ||
  /^[01](?:px)?$/.test(style.get("font-size") ?? "");

const unseen = new Set(["head", "style", "title", "script"]);

/** The first texts whose contrast is too low, one for each pair of colours. */
export function findLowContrast(html: string): LowContrast[] {
  const found = new Map<string, LowContrast>();
  const open: Colors[] = [{ color: names.black!, background: names.white!, isHidden: false }];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const around = open.at(-1)!;
        const style = readStyle(attributes.style);
        open.push({
          color: colorOf(name, style, attributes, around.color),
          background: backgroundOf(style, attributes, around.background),
          isHidden: around.isHidden || unseen.has(name) || isHiddenBy(style),
        });
      },
      ontext(data) {
        const { color, background, isHidden } = open.at(-1)!;
        const text = data.replace(/[\s\p{Cf}\p{Mn}]+/gu, " ").trim();
        if (text === "" || isHidden || !color || !background || found.size === maxFound) return;
        const ratio = contrastOf(color, background);
        const pair = { color: hex(color), background: hex(background) };
        if (ratio < minContrast) found.set(`${pair.color} ${pair.background}`, { text, ...pair, ratio });
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return [...found.values()];
}
