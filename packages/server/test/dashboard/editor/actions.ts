// What tests of the workflow editor do on its pages.
import { eventually } from "@tidings/testkit/wait";
import type { Page } from "playwright-core";

/** Adds a step of this type, whose form is open then. */
export async function addStep(page: Page, type: string): Promise<void> {
  await page.getByRole("button", { name: "Add step", exact: true }).click();
  await page.getByRole("menuitem", { name: type, exact: true }).click();
  await page.getByRole("heading", { level: 2, name: type }).waitFor();
}

/** The body of an email. Until the code editor is loaded, a plain field replaces it, which then loses the focus. */
export async function fillHtml(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").waitFor();
  await page.getByRole("textbox", { name: "Body" }).fill(text);
}

export async function choose(page: Page, field: RegExp, option: RegExp): Promise<void> {
  await page.getByRole("combobox", { name: field }).click();
  await page.getByRole("option", { name: option }).click();
}

/** Saves. The word of an earlier save may still be shown. */
export async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByText(/^Saved/)
    .first()
    .waitFor();
  await eventually(async () => (await page.getByText("Unsaved changes").count()) === 0, "the changes to be saved");
}

/** The name of what has the focus begins with this text, after the number of a step. */
export const hasFocus = async (page: Page, name: string): Promise<boolean> =>
  ((await page.evaluate("document.activeElement?.textContent ?? ''")) as string)
    .replace(/^\d+\. /, "")
    .startsWith(name);
