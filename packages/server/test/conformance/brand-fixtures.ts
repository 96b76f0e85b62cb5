// One good input for each operation of the brand, the gallery and attention. A colour without contrast, so that a
// response has a warning.
import { type AttentionBudget, type BrandIn, brandColorNames, type OperationId } from "@tidings/contract";
import { type Fixture, nothing, ofContext, ofOwnInbox, ofSubscriber, withBody } from "./inputs.ts";
import type { World } from "./world.ts";

const fullBrand: BrandIn = {
  name: "Acme",
  logoUrl: "https://example.com/logo.png",
  logoDarkUrl: "https://example.com/logo-dark.png",
  colors: { ...Object.fromEntries(brandColorNames.map((name) => [name, "#123456"])), text: "#cccccc" },
  fontStack: "Inter, Arial, sans-serif",
  cornerRadius: 12,
  address: "1 Main Street\nSpringfield",
  socialLinks: [{ network: "github", url: "https://github.com/acme" }],
  pageTexts: { de: { title: "Ihre Mails", introduction: "Sie entscheiden.", footer: "Acme" } },
};

const ofBrandedContext = async (w: World) => {
  const { params } = await ofContext(w);
  await w.client("brand.updateContext", { params: params as { type: string; id: string }, body: fullBrand });
  return { params };
};

const budgets: AttentionBudget[] = [
  { channel: "email", limit: 3, window: { amount: 1, unit: "day" }, rollUpAt: "18:00" },
];

/** A person may choose less than the budget allows. */
const withBudget =
  (fixture: Fixture): Fixture =>
  async (w) => {
    await w.client("attention.update", { body: { budgets } });
    return fixture(w);
  };
const lower = { channels: { email: { limit: 2, unit: "day" } } };

export const brandFixtures: Partial<Record<OperationId, Fixture>> = {
  "attention.retrieve": nothing,
  "attention.update": () => ({ body: { budgets } }),
  "attention.forecast": () => ({ body: { budgets, days: 7 } }),
  "subscribers.retrieveAttention": withBudget(ofSubscriber),
  "subscribers.updateAttention": withBudget(withBody(ofSubscriber, lower)),
  "inbox.retrieveAttention": withBudget(ofOwnInbox),
  "inbox.updateAttention": withBudget(withBody(ofOwnInbox, lower)),
  "brand.retrieve": nothing,
  "brand.update": () => ({ body: fullBrand }),
  "brand.preview": () => ({ body: { brand: fullBrand } }),
  "brand.createLayout": () => ({ body: {} }),
  "brand.retrieveContext": ofBrandedContext,
  "brand.updateContext": withBody(ofContext, fullBrand),
  "brand.deleteContext": ofBrandedContext,
  "gallery.list": nothing,
  "gallery.retrieve": () => ({ params: { name: "mention" } }),
  "gallery.use": (w) => ({ params: { name: "mention" }, body: { workflowId: w.unique("gallery"), name: "Mentions" } }),
};
