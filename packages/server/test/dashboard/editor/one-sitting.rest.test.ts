// A person who knows no HTML builds the order confirmation with items, button, image, show-if and brand, in two
// languages, and publishes it: in one sitting, in a browser. What production sends then is what was built.
import assert from "node:assert/strict";
import { browserTest, openBrowser, openPage } from "@tidings/testkit/chromium";
import { closedPort, startMailServer } from "@tidings/testkit/mail/smtp";
import { startTestService } from "@tidings/testkit/service";
import { trigger } from "@tidings/testkit/verbs";
import { eventually } from "@tidings/testkit/wait";
import { sit } from "./sitting.ts";

const mailServer = await startMailServer();
const port = String(await closedPort());
const url = `http://127.0.0.1:${port}`;
// Images of mails need the address that readers reach.
const service = await startTestService({
  TIDINGS_PORT: port,
  TIDINGS_PUBLIC_URL: url,
  TIDINGS_ALLOW_NETWORKS: "127.0.0.0/8",
});
const { production } = service;

const items = [
  { name: "Lamp", price: "80.00 €" },
  { name: "Bulb", price: "4.50 €" },
];

browserTest("an order confirmation in two languages, from an empty installation to production", async (context) => {
  // An emulated preference would be that of the frame of the mail, too.
  const browser = await openBrowser(context, { viewport: { width: 1440, height: 900 }, colorScheme: null });
  const page = await openPage(context, browser, { allow: /status of 401/ });
  page.setDefaultTimeout(20_000);
  await sit({ page, start: { link: service.firstLink! }, picture: async () => {} });

  // What a developer does: the mail server of production, and the event of the shop.
  const { user, password } = mailServer;
  const server = { host: "127.0.0.1", port: String(mailServer.port), secure: false };
  const credentials = { ...server, user, password, from: "shop@example.com" };
  await production("integrations.create", {
    body: { providerId: "nodemailer", channel: "email", credentials, active: true } as never,
  });
  const people = [
    { subscriberId: "emma", firstName: "Emma", email: "emma@example.com", locale: "en_GB" },
    { subscriberId: "greta", firstName: "Greta", email: "greta@example.com", locale: "de_DE" },
  ];
  await trigger(production, "order-confirmed", people[0]!, { items, giftWrapped: false });
  await trigger(production, "order-confirmed", people[1]!, { items, giftWrapped: true });
  await eventually(() => mailServer.received.length >= 2, "two mails");
  const mailTo = (address: string) => mailServer.received.find(({ to }) => to?.some((one) => one.address === address))!;
  const [english, german] = [mailTo("emma@example.com"), mailTo("greta@example.com")];
  assert.equal(english.subject, "Your order is confirmed");
  assert.equal(german.subject, "Deine Bestellung ist bestätigt");
  assert.match(english.text!, /Thank you, Emma!/);
  assert.match(german.text!, /Vielen Dank, Greta!/);
  // Only the second order is a gift.
  assert.doesNotMatch(english.html!, /gift/i);
  assert.match(german.html!, /Dein Geschenk ist in Papier verpackt\./);
  for (const [{ html }, label, alt] of [
    [english, "Follow your parcel", "A parcel with a ribbon"],
    [german, "Paket verfolgen", "Ein Paket mit Schleife"],
  ] as const) {
    assert.match(html!, /Lamp, 80\.00 €[\s\S]*Bulb, 4\.50 €/);
    assert.match(html!, new RegExp(`href="https://northwind\\.example/orders"[^>]*>[\\s\\S]{0,200}${label}`));
    assert.match(html!, /1 Harbour Street, Bristol/);
    assert.match(html!, /#0f5c5c/);
    const [image] = new RegExp(`<img[^>]*alt="${alt}"[^>]*>`).exec(html!) ?? assert.fail(`no image with "${alt}"`);
    for (const [, src] of [image, ...html!.matchAll(/<img[^>]*>/g)].map((tag) => /src="([^"]+)"/.exec(String(tag))!))
      assert.equal((await fetch(src!)).headers.get("content-type"), "image/png");
  }
});
