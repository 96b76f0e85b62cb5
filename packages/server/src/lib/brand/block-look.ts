// What blocks of an email take from the brand where they set nothing themselves.
import type { Brand } from "@tidings/contract";
import { defaultBrand } from "./brand.ts";

export type BlockLook = {
  primary: string;
  primaryText: string;
  text: string;
  heading: string;
  fontStack: string;
  radius: string;
  /** Names the look in caches; empty without a brand. */
  key: string;
};

function lookOf({ colors, fontStack, cornerRadius }: Brand): Omit<BlockLook, "key"> {
  const { primary, primaryText, text, heading } = colors;
  return { primary, primaryText, text, heading, fontStack, radius: `${cornerRadius}px` };
}

export const plainLook: BlockLook = { ...lookOf(defaultBrand), key: "" };

/** A brand is an object per batch, and has many emails. */
const looks = new WeakMap<Brand, BlockLook>([[defaultBrand, plainLook]]);

export function blockLook(brand: Brand | undefined): BlockLook {
  if (brand === undefined) return plainLook;
  const known = looks.get(brand);
  if (known) return known;
  const own = lookOf(brand);
  const look = { ...own, key: JSON.stringify(Object.values(own)) };
  looks.set(brand, look);
  return look;
}
