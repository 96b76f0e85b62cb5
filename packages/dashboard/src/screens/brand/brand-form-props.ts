// What the parts of the brand form share.
import type { Brand, BrandIn } from "@tidings/contract";

export type BrandFormProps = {
  draft: BrandIn;
  /** What is saved, with what is inherited. */
  brand: Brand;
  errors: Partial<Record<string, string>>;
  isReadOnly: boolean;
  onChange: (changed: Partial<BrandIn>) => void;
  /** The domain of the hosted pages; absent for a context. */
  domain?: { url: string; onChange: (url: string) => void };
};
