// One sitting of a person who knows no HTML, no JSON and no Liquid: the brand, an order confirmation with items, image,
// button and a block that only some people get, in two languages, published. Everything is clicked, typed, dragged or
// uploaded. The test plays it, and `npm run walk -- sitting` keeps its pictures.

import { eventually } from "@tidings/testkit/wait";
import type { Locator, Page } from "playwright-core";

export type Sitting = {
  page: Page;
  /** The link that opens the first account, or the address where its owner signs in. */
  start: { link: string } | { url: string; email: string; password: string };
  /** Keeps a picture, where pictures are asked for. */
  picture: (name: string) => Promise<void>;
};

const author = { name: "Mia Marsh", email: "mia@example.com", password: "correct horse battery" };

export async function sit(sitting: Sitting): Promise<void> {
  await signIn(sitting);
  await setBrand(sitting);
  await createEmail(sitting);
  await writeBlocks(sitting);
  await addSamples(sitting);
  await fixChecks(sitting);
  await translate(sitting);
  await look(sitting);
  await test(sitting);
  await publish(sitting);
}

async function signIn({ page, start, picture }: Sitting): Promise<void> {
  if ("url" in start) {
    await page.goto(start.url);
    await page.getByLabel("Email").fill(start.email);
    await page.getByLabel("Password").fill(start.password);
    await picture("sign-in");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    return;
  }
  await page.goto(start.link);
  await page.getByLabel("Your name").fill(author.name);
  await page.getByLabel("Email").fill(author.email);
  await page.getByLabel("Choose a password").fill(author.password);
  await picture("sign-in");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
}

const visit = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).first().click();

async function setBrand({ page, picture }: Sitting): Promise<void> {
  await visit(page, "Brand");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Northwind");
  await page.getByRole("textbox", { name: "Buttons and links, light", exact: true }).fill("#0f5c5c");
  await upload(page, page.getByRole("button", { name: "Upload: Logo", exact: true }), await draw(page, logo, "logo"));
  await page.getByRole("textbox", { name: "Postal address" }).fill("1 Harbour Street, Bristol");
  await page.frameLocator("iframe").frameLocator("iframe").getByRole("img").first().waitFor();
  await page.getByRole("button", { name: "Save brand" }).click();
  await page.getByText("Brand saved").waitFor();
  await picture("brand");
}

async function createEmail({ page, picture }: Sitting): Promise<void> {
  await visit(page, "Workflows");
  await page.getByRole("button", { name: "New workflow" }).first().click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Order confirmed");
  await picture("new-workflow");
  await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Order confirmed" }).waitFor();
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByRole("menuitem", { name: "Email", exact: true }).click();
  await page.getByRole("textbox", { name: "Subject" }).fill("Your order is confirmed");
  await picture("empty-email");
}

const settingsOf = (page: Page) => page.getByRole("region", { name: /^Settings: / });
const bodyOf = (page: Page) => page.getByRole("textbox", { name: "Body" });

/** Types the start of a name, and takes the entry. */
async function pick(page: Page, typed: string, entry: RegExp): Promise<void> {
  await page.keyboard.type(typed);
  await page.getByRole("option", { name: entry }).first().click();
}

/** The Insert menu, as a person with a mouse uses it. */
async function insert(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Insert" }).click();
  await page.getByRole("menuitem", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("menu").waitFor({ state: "detached" });
}

/** Below the last block. */
async function newLine(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
}

async function writeBlocks({ page, picture }: Sitting): Promise<void> {
  const settings = settingsOf(page);
  await bodyOf(page).click();
  await insert(page, "Heading 1");
  await page.keyboard.type("Thank you, ");
  await pick(page, "{{first", /subscriber\.firstName/);
  await page.keyboard.type("!");
  await bodyOf(page).locator("[data-type=variable]").click();
  await settings.getByRole("textbox", { name: "If it is empty" }).fill("friend");
  await picture("variable");
  await settings.getByRole("button", { name: "Close settings" }).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("We are packing your order. This is what you get:");
  await page.keyboard.press("Enter");

  await page.keyboard.type("/rep");
  await page.getByRole("option", { name: /^Repeat/ }).waitFor();
  await picture("block-menu");
  await page.keyboard.press("Enter");
  await settings.getByRole("combobox", { name: "List" }).fill("payload.items");
  await page.keyboard.press("Escape");
  await pick(page, "{{payload.items.name", /payload\.items\.name/);
  await page.keyboard.type(", ");
  await pick(page, "{{payload.items.price", /payload\.items\.price/);
  await page.keyboard.press("Escape");
  await newLine(page);

  await insert(page, "Image");
  await upload(page, settings.getByRole("button", { name: "Upload image" }), await draw(page, parcel, "parcel"));
  await bodyOf(page).locator("[data-type=image] img").waitFor();
  await picture("image");
  await newLine(page);

  await insert(page, "Button");
  await settings.getByRole("textbox", { name: "Label" }).fill("Follow your parcel");
  await settings.getByRole("textbox", { name: "Link address" }).fill("https://northwind.example/orders");
  await newLine(page);

  await page.keyboard.type("Your gift is wrapped in paper.");
  await page.keyboard.press("Alt+Enter");
  await settings.getByRole("button", { name: "Add a condition" }).click();
  await settings.getByRole("combobox", { name: "Value to compare" }).fill("payload.giftWrapped");
  await settings.getByRole("combobox", { name: /^Comparison/ }).click();
  await page.getByRole("option", { name: "is true", exact: true }).click();
  await picture("show-if");
  await settings.getByRole("button", { name: "Close settings" }).click();
}

const previewOf = (page: Page) => page.frameLocator("iframe").frameLocator("iframe");

/** The email is written before a developer has sent an event, so its values are made up, and corrected in fields. */
async function addSamples({ page, picture }: Sitting): Promise<void> {
  await page.getByRole("button", { name: "Add sample values" }).click();
  for (const [label, text] of [
    ["items 1 name", "Teapot"],
    ["items 1 price", "24.00 €"],
    ["items 2 name", "Two cups"],
    ["items 2 price", "12.00 €"],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(text);
  await previewOf(page).getByText("Two cups, 12.00 €").waitFor();
  await previewOf(page).getByText("Your gift is wrapped").waitFor();
  await picture("samples");
}

async function fixChecks({ page, picture }: Sitting): Promise<void> {
  const checks = page.getByRole("region", { name: "Checks" });
  await checks.getByText(/alternative text/).waitFor();
  await checks.getByText(/unsubscribe/).waitFor();
  await picture("checks");
  await bodyOf(page).locator("[data-type=image] img").click();
  await settingsOf(page).getByRole("textbox", { name: "Alternative text" }).fill("A parcel with a ribbon");
  await checks.getByText(/alternative text/).waitFor({ state: "detached" });
  await save(page);
  await visit(page, "Brand");
  await page.getByRole("button", { name: "Create brand layout" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create brand layout" }).click();
  await page.getByText(/^Layout .* created/).waitFor();
  await openEmail(page);
  await previewOf(page).getByText("1 Harbour Street, Bristol").waitFor();
  await checks.getByText(/unsubscribe/).waitFor({ state: "detached" });
  await picture("checked");
}

async function openEmail(page: Page): Promise<void> {
  await visit(page, "Workflows");
  await page
    .getByRole("link", { name: /Order confirmed/ })
    .first()
    .click();
  await page.getByRole("heading", { level: 1, name: "Order confirmed" }).waitFor();
  await bodyOf(page).waitFor();
}

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
}

const german: [start: string, text: string][] = [
  ["subject", "Deine Bestellung ist bestätigt"],
  ["we_are_packing", "Wir packen deine Bestellung. Das bekommst du:"],
  ["a_parcel", "Ein Paket mit Schleife"],
  ["follow_your_parcel", "Paket verfolgen"],
  ["your_gift", "Dein Geschenk ist in Papier verpackt."],
];

async function translate({ page, picture }: Sitting): Promise<void> {
  await page.getByRole("button", { name: "Translate this email" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("Translate 6 texts of this email?").waitFor();
  await picture("translate");
  await question.getByRole("button", { name: "Translate", exact: true }).click();
  await page.getByText("6 texts can be translated now").waitFor();
  await bodyOf(page).locator("[data-text^='We are packing']").waitFor();
  await picture("translated");
  await save(page);
  await page.getByRole("link", { name: "Open translations" }).click();
  await page.getByRole("button", { name: "Add language" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "Language" }).fill("German");
  await picture("language");
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  for (const [start, text] of german)
    await page.getByRole("textbox", { name: new RegExp(`^${start}\\w* in de_DE`) }).fill(text);
  // A text with a variable starts as a copy, in which the words are replaced.
  await page.getByRole("button", { name: "Start thank_you in de_DE with the default language" }).click();
  await page.getByRole("textbox", { name: "thank_you in de_DE" }).click();
  await page.keyboard.press("Home");
  for (const _letter of "Thank you") await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.type("Vielen Dank");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("6 texts saved").waitFor();
  await page.getByRole("textbox", { name: "thank_you in de_DE" }).waitFor();
  await picture("translations");
}

async function look({ page, picture }: Sitting): Promise<void> {
  await openEmail(page);
  const preview = previewOf(page);
  await preview.getByRole("heading", { name: "Thank you, Ada!" }).waitFor();
  await preview.getByText("Teapot, 24.00 €").waitFor();
  await picture("english");
  await page.getByRole("combobox", { name: /^Language/ }).click();
  await page.getByRole("option", { name: /^German/ }).click();
  await preview.getByRole("heading", { name: "Vielen Dank, Ada!" }).waitFor();
  await preview.getByText("Dein Geschenk").waitFor();
  await picture("german");
  await page.getByRole("button", { name: "Phone" }).click();
  await picture("german-phone");
  await page.getByRole("button", { name: "Dark", exact: true }).click();
  await picture("german-phone-dark");
  await page.getByRole("button", { name: "Desktop" }).click();
  await picture("german-dark");
}

async function test({ page, picture }: Sitting): Promise<void> {
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Test this workflow" });
  await dialog.getByRole("button", { name: "Send now" }).click();
  await dialog.getByText("Email was captured in the mailbox").first().waitFor();
  await picture("test");
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await visit(page, "Mailbox");
  await page
    .getByRole("link", { name: /Your order is confirmed/ })
    .first()
    .click();
  await page.getByRole("article", { name: "Message" }).waitFor();
  await picture("mailbox");
}

async function publish({ page, picture }: Sitting): Promise<void> {
  await visit(page, "Environments");
  await page.getByRole("tab", { name: "Publish" }).click();
  await page.getByRole("list", { name: "Differences" }).getByText("Order confirmed").first().waitFor();
  await picture("publish");
  await page.getByRole("button", { name: /^Publish \d to Production/ }).click();
  const question = page.getByRole("dialog");
  await question.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText(/^Published to Production/).waitFor();
  await picture("published");
  // The brand was published with the workflow.
  await page.getByRole("button", { name: /^Environment/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^Production/ }).click();
  await visit(page, "Brand");
  await picture("production-brand");
}

/** Chooses a file in the dialog that the button opens. */
async function upload(page: Page, button: Locator, buffer: Buffer): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
  await chooser.setFiles({ name: "picture.png", mimeType: "image/png", buffer });
  await eventually(() => button.isEnabled(), "the image to be uploaded");
}

/** A file of the person: an image that a browser draws. */
async function draw(page: Page, svg: string, name: string): Promise<Buffer> {
  const studio = await page.context().newPage();
  await studio.setContent(`<title>${name}</title><body style="margin:0">${svg}`);
  const buffer = await studio.locator("svg").screenshot({ omitBackground: true });
  await studio.close();
  return buffer;
}

const logo = `<svg width="180" height="48" viewBox="0 0 180 48" xmlns="http://www.w3.org/2000/svg">
  <circle cx="24" cy="24" r="20" fill="#0f5c5c"/><path d="M14 32 24 10l10 22-10-6z" fill="#fff"/>
  <text x="54" y="31" font-family="Georgia, serif" font-size="22" fill="#0f5c5c">Northwind</text></svg>`;
const parcel = `<svg width="560" height="200" viewBox="0 0 560 200" xmlns="http://www.w3.org/2000/svg">
  <rect width="560" height="200" rx="12" fill="#e3f3f1"/><rect x="200" y="50" width="160" height="110" rx="6" fill="#c98d4b"/>
  <rect x="270" y="50" width="20" height="110" fill="#0f5c5c"/><rect x="200" y="92" width="160" height="18" fill="#0f5c5c"/>
  <path d="M280 50c-40-40-70-10-20 0m20 0c40-40 70-10 20 0" fill="none" stroke="#0f5c5c" stroke-width="10"/></svg>`;
