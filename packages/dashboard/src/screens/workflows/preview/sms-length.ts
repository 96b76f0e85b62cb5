// How long a text message is, and in how many parts networks send it. Pure.

/** The characters of the GSM alphabet; those of the second list count twice. */
const plain =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extended = "^{}\\[~]|€\f";

export type SmsLength = { characters: number; segments: number; isUnicode: boolean };

/** A single part has 160 characters, several have 153 each; with one character of another alphabet 70 and 67. */
export function smsLength(text: string): SmsLength {
  const units = [...text].map((character) => (plain.includes(character) ? 1 : extended.includes(character) ? 2 : null));
  const isUnicode = units.includes(null);
  // Outside of the GSM alphabet, UTF-16 units count: an emoji is two.
  const characters = isUnicode ? text.length : units.reduce<number>((sum, unit) => sum + (unit ?? 0), 0);
  const [alone, joined] = isUnicode ? [70, 67] : [160, 153];
  const segments = characters === 0 ? 0 : characters <= alone ? 1 : Math.ceil(characters / joined);
  return { characters, segments, isUnicode };
}
