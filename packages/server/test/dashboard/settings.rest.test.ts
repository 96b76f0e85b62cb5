// Settings, in a browser: an invitation, the member who accepts it, the audit log.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { startTestService } from "@tidings/testkit/service";
import { visit } from "../app/members/browsers.ts";
import { expectAccessible, expectNoOverflow, narrow, openDashboard } from "./support.ts";

const service = await startTestService();
const secret = "correct horse battery";

browserTest("a member is invited, signs in with the link as viewer, and changes nothing", async (context) => {
  const page = await openDashboard(context, service, "/settings?tab=members");
  await page.getByRole("button", { name: "Invite member" }).click();
  await page.getByRole("dialog").getByLabel("Email").fill("not an address");
  await page.getByRole("dialog").getByLabel("Email").fill("vera@example.com");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create invitation link" }).click();
  const link = await page.getByRole("region", { name: "Invitation link" }).innerText();
  assert.match(link, /#token=/);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("table", { name: "Open invitations" }).getByText("vera@example.com").waitFor();
  await expectAccessible(page);

  const visitor = await openPage(context, await openBrowser(context, { viewport: narrow }));
  await visitor.goto(link.trim());
  await visitor.getByLabel("Your name").fill("Vera Viewer");
  await visitor.getByLabel("Choose a password").fill(secret);
  await visitor.getByRole("button", { name: "Join" }).click();
  await visitor.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await visitor.getByText("Only owners can see API keys").waitFor();
  assert.equal(await visitor.getByRole("button", { name: "Send it from here" }).count(), 0);
  await expectNoOverflow(visitor);
  await visitor.goto(`${service.url}/settings?tab=people`);
  await visitor.waitForURL(/settings\?.*tab=members/);
  await visitor.getByText("Only owners can manage members").waitFor();
  await visitor.goto(`${service.url}/settings?tab=audit`);
  await visitor.getByText("Only editors and owners can see the audit log").waitFor();

  // The owner gives another role, creates a reset link, sees both in the audit log, and removes the member.
  await page.reload();
  const row = page.getByRole("table", { name: "Members" }).getByRole("row", { name: /Vera Viewer/ });
  await row.getByRole("combobox").click();
  await page.getByRole("option", { name: /^Editor/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Change role" }).click();
  await page.getByText("Vera Viewer is now Editor").waitFor();
  await row.getByRole("button", { name: "Actions for Vera Viewer" }).click();
  await page.getByRole("menuitem", { name: "Create reset link" }).click();
  await page.getByRole("region", { name: "Reset link" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  const resetLinks = page.getByRole("table", { name: "Open reset links" });
  await resetLinks.getByRole("row", { name: /Vera Viewer.*Olga Owner/ }).waitFor();
  await expectAccessible(page);
  await resetLinks.getByRole("button", { name: "Revoke the reset link for Vera Viewer" }).click();
  await resetLinks.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Audit log" }).click();
  const change = page
    .getByRole("list", { name: "Changes" })
    .getByRole("button", { name: /changed the role of the member Vera Viewer/ });
  await change.click();
  await page.getByRole("table").getByText("editor").waitFor();
  await page.getByRole("button", { name: /revoked a password reset link/ }).waitFor();
  await page.getByRole("button", { name: /invited a member vera@example\.com/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole("combobox", { name: /^What/ }).click();
  await page.getByRole("option", { name: "Workflows" }).click();
  await page.getByText("No changes match these filters").waitFor();
  await page.getByRole("tab", { name: "Members" }).click();
  await row.getByRole("button", { name: "Actions for Vera Viewer" }).click();
  await page.getByRole("menuitem", { name: "Remove member" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove member" }).click();
  await row.waitFor({ state: "detached" });
});

browserTest("the audit log is filtered by the address, shows failed sign-ins, and is exported", async (context) => {
  const page = await openDashboard(context, service, "/settings?tab=audit&operation=auth.signInFailed");
  await page.getByText("No changes match these filters").waitFor();
  const refused = await visit(service, "auth.signIn", { body: { email: "mallory@example.com", password: "wrong" } });
  assert.equal(refused.status, 401);
  await page.reload();
  await page.getByRole("button", { name: /mallory@example.com .* failed to sign in/ }).waitFor();
  await page.getByRole("combobox", { name: /^Time/ }).click();
  await page.getByRole("option", { name: "Custom range" }).click();
  await page.getByLabel("To", { exact: true }).fill("2020-01-01");
  await page.getByText("No changes match these filters").waitFor();
  assert.match(page.url(), /range=custom.*to=.?2020-01-01/);
  await page.getByLabel("To", { exact: true }).fill("");
  await page.getByRole("button", { name: /mallory@example.com/ }).waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Export" }).click();
  const downloading = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const download = await downloading;
  assert.match(download.suggestedFilename(), /^audit-log-.*\.csv$/);
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /^"time","actor",.*\r\n.*"mallory@example\.com","machine",/);
  await page.getByText("1 entry exported").waitFor();
  await page.setViewportSize(narrow);
  await expectNoOverflow(page);
});
