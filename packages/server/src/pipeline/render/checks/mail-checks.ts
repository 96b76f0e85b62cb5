// What is wrong with an email that can be sent all the same, in sentences for its author. Pure: what has to be looked
// up is given.
import type { MailCheck } from "@tidings/contract";
import { Parser } from "htmlparser2";
import type { Mail } from "../mail-body.ts";
import { findLowContrast } from "./contrast.ts";
import type { EmptyOutputs } from "./watched-outputs.ts";

export type CheckedMail = Pick<Mail, "subject" | "html" | "text"> & {
  /** Fields that could not be rendered are not checked. */
  isSubjectKnown: boolean;
  isBodyKnown: boolean;
  /** Subscribers cannot unsubscribe from critical workflows. */
  isCritical: boolean;
  /** A block document: its editor asks for alternative texts, so an empty one was forgotten. */
  isBlocks: boolean;
  empty: EmptyOutputs;
  /** Names that are not among the variables of the step, each with the one that was probably meant. */
  unknownNames: { name: string; meant: string | null }[];
  /** Bytes of own images, by address. */
  imageSizes: ReadonlyMap<string, number>;
};

/** For each code. */
const maxChecks = 5;
/** Gmail shows so much of the HTML. */
const clippedBytes = 102 * 1024;
const largeImageBytes = 1024 * 1024;

type Found = Omit<MailCheck, "severity">;
type Link = { href: string | null; label: string };
type Image = { src: string; alt: string | null; isDecoration: boolean };

const errors = new Set<MailCheck["code"]>(["empty_link", "relative_link", "relative_image", "no_subject", "no_text"]);

export function checkMail(mail: CheckedMail): MailCheck[] {
  const { links, images } = readHtml(mail.html);
  const found = [
    ...(mail.isSubjectKnown ? subjectChecks(mail.subject) : []),
    ...nameChecks(mail),
    ...(mail.isBodyKnown
      ? [
          ...links.flatMap(linkChecks),
          ...images.flatMap((image) => imageChecks(image, mail)),
          ...unsubscribeChecks(mail, links),
          ...contrastChecks(mail.html),
          ...sizeChecks(mail),
        ]
      : []),
  ];
  const counts = new Map<string, number>();
  return [...new Map(found.map((one) => [one.message, one])).values()]
    .filter(({ code }) => {
      counts.set(code, (counts.get(code) ?? 0) + 1);
      return counts.get(code)! <= maxChecks;
    })
    .map((one) => ({ ...one, severity: errors.has(one.code) ? "error" : "warning" }));
}

const shorten = (text: string, length = 80): string => (text.length <= length ? text : `${text.slice(0, length)}…`);
const quote = (text: string): string => `“${shorten(text.replace(/\s+/g, " ").trim())}”`;

function readHtml(html: string): { links: Link[]; images: Image[] } {
  const links: Link[] = [];
  const images: Image[] = [];
  const open: Link[] = [];
  const parser = new Parser(
    {
      onopentag(name, { href, src, alt, ...attributes }) {
        const isAnchor = name === "a" || name === "area";
        if (isAnchor && !(href === undefined && (attributes.name !== undefined || attributes.id !== undefined))) {
          const link = { href: href?.trim() ?? null, label: name === "area" ? (alt ?? "") : "" };
          links.push(link);
          if (name === "a") open.push(link);
        }
        if (name !== "img") return;
        for (const link of open) link.label += alt ?? "";
        images.push({ src: src?.trim() ?? "", alt: alt ?? null, isDecoration: isDecoration(attributes) });
      },
      ontext(text) {
        for (const link of open) link.label += text;
      },
      onclosetag(name) {
        if (name === "a") open.pop();
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return { links, images };
}

/** Counting pixels, and images that say so themselves. */
const isDecoration = ({ width, height, role, "aria-hidden": hidden }: Record<string, string>): boolean =>
  role === "presentation" || hidden === "true" || [width, height].some((size) => /^[01](px)?$/.test(size ?? ""));

function subjectChecks(subject: string): Found[] {
  if (subject === "") return [{ code: "no_subject", message: "The mail has no subject." }];
  const words = (subject.match(/[\p{L}\p{N}_-]+/gu) ?? []).filter((word) => /^\p{Lu}{4,}$/u.test(word));
  if (words.length === 0) return [];
  const list = [...new Set(words)].slice(0, 5).join(", ");
  return [
    {
      code: "capitals",
      message: `The subject has words in capitals (${list}). Spam filters and readers dislike them.`,
    },
  ];
}

function nameChecks({ unknownNames, empty }: CheckedMail): Found[] {
  const unknown = new Set(unknownNames.map(({ name }) => name));
  return [
    ...unknownNames.map(({ name, meant }): Found => {
      const hint = meant ? ` Did you mean ${meant}?` : "";
      return { code: "unknown_variable", message: `${name} is not a variable of this step.${hint}` };
    }),
    ...empty.variables
      .filter((name) => !unknown.has(name))
      .map((name): Found => {
        const message = `{{ ${name} }} is empty for this person. Add a fallback: {{ ${name} | default: "…" }}.`;
        return { code: "empty_variable", message };
      }),
    ...empty.translations.map((name): Found => {
      const message = `The translation ${name} has no text in the language of this person, nor in the default one.`;
      return { code: "missing_translation", message };
    }),
  ];
}

function linkChecks({ href, label }: Link): Found[] {
  const named = label.trim() === "" ? "A link without a text" : `The link ${quote(label)}`;
  if (href === null) {
    return [
      { code: "empty_link", message: `${named} has no address, or one that was removed because it is not safe.` },
    ];
  }
  if (href === "" || href === "#") return [{ code: "empty_link", message: `${named} has an empty address.` }];
  if (/^http:/i.test(href)) {
    const message = `${named} uses http (${shorten(href)}). Mail programs warn about such links: use https.`;
    return [{ code: "insecure_link", message }];
  }
  if (/^(?:[a-z][a-z\d+.-]*:|#)/i.test(href)) return [];
  const message = `${named} has the relative address ${shorten(href)}. In a mailbox it leads nowhere: begin with https://.`;
  return [{ code: "relative_link", message }];
}

function imageChecks({ src, alt, isDecoration }: Image, { isBlocks, imageSizes }: CheckedMail): Found[] {
  const named = src === "" ? "An image without an address" : `The image ${shorten(src)}`;
  const found: Found[] = [];
  if (!isDecoration && (alt === null || (isBlocks && alt.trim() === ""))) {
    const message = `${named} has no alternative text, which people read while images are not loaded.`;
    found.push({ code: "missing_alt", message });
  }
  if (!/^(?:https?|cid|data):/i.test(src)) {
    const message = src.startsWith("/assets/")
      ? `${named} has no public address. Set TIDINGS_PUBLIC_URL, so that mailboxes can load it.`
      : `${named} has a relative address, so mailboxes cannot load it: begin with https://.`;
    found.push({ code: "relative_image", message });
  }
  const bytes = imageSizes.get(src) ?? 0;
  if (bytes > largeImageBytes) {
    const size = (bytes / 1024 / 1024).toFixed(1);
    found.push({ code: "large_image", message: `${named} has ${size} MB. Over 1 MB, images load slowly on phones.` });
  }
  return found;
}

const unsubscribeAddress = /unsubscribe|opt-?out|preferences|\/u\/[\w.-]{20,}/i;
const unsubscribeWords =
  /unsubscribe|opt.?out|preferences|abmelden|abbestellen|désabonn|désinscri|darse de baja|annulla l/i;

function unsubscribeChecks({ isCritical }: CheckedMail, links: Link[]): Found[] {
  if (isCritical) return [];
  const hasLink = links.some(({ href, label }) => unsubscribeAddress.test(href ?? "") || unsubscribeWords.test(label));
  if (hasLink) return [];
  const message =
    "The mail has no link to unsubscribe. The layout that the Brand screen creates has one. In your own layout, put a link to {{ unsubscribeUrl }} into the footer.";
  return [{ code: "missing_unsubscribe", message }];
}

const contrastChecks = (html: string): Found[] =>
  findLowContrast(html).map(({ text, color, background, ratio }) => ({
    code: "low_contrast",
    message: `The text ${quote(text)} is hard to read: ${color} on ${background} has a contrast of ${ratio.toFixed(1)}, below 4.5.`,
  }));

function sizeChecks({ html, text }: CheckedMail): Found[] {
  const found: Found[] = [];
  const bytes = Buffer.byteLength(html);
  if (bytes > clippedBytes) {
    const message = `The HTML has ${Math.round(bytes / 1024)} kB. Gmail cuts mails off at 102 kB and hides the rest.`;
    found.push({ code: "too_large", message });
  }
  if (text.trim() === "") {
    const message = "The mail has no text part: without images there is nothing to read.";
    found.push({ code: "no_text", message });
  }
  return found;
}
