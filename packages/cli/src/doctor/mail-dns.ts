// What the DNS says about the senders of emails: receivers refuse mail, or call it spam, without SPF, DKIM and DMARC.
import { Resolver } from "node:dns/promises";
import type { Integration } from "@tidings/contract";
import { type Finding, ok, unknown, warning } from "./finding.ts";

/**
 * Selectors that providers give to all of their customers. Others create one per account, which only their pages show.
 */
const selectors: Record<string, string[]> = {
  sendgrid: ["s1", "s2"],
  resend: ["resend"],
  mailgun: ["smtp", "mailo", "k1"],
  mailjet: ["mailjet"],
  brevo: ["brevo1", "mail"],
  sendinblue: ["brevo1", "mail"],
  mandrill: ["mte1", "mandrill"],
  mailersend: ["mlsend"],
};

/** `null`: there is no such record. */
type Records = string[] | null;
type Ask = (name: string) => Promise<Records>;

const missing = new Set(["ENOTFOUND", "ENODATA"]);

/** With the servers of the machine, or this one. */
export function createAsk(server?: string): Ask {
  const resolver = new Resolver({ timeout: 3_000, tries: 1 });
  if (server !== undefined) resolver.setServers([server]);
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
    } catch (error) {
      if (missing.has((error as NodeJS.ErrnoException).code ?? "")) return null;
      throw error;
    }
  };
}

export async function checkMailSenders(integrations: Integration[], ask: Ask): Promise<Finding[]> {
  const senders = new Map<string, string>();
  for (const { channel, active, credentials, providerId } of integrations) {
    const domain = domainOf(credentials?.from);
    if (channel === "email" && active && domain !== null && !senders.has(domain)) senders.set(domain, providerId);
  }
  const findings = await Promise.all([...senders].map(([domain, providerId]) => checkDomain(domain, providerId, ask)));
  return findings.flat();
}

function domainOf(from: unknown): string | null {
  const found = typeof from === "string" ? /@([a-z0-9.-]+\.[a-z]{2,})>?\s*$/i.exec(from) : null;
  return found?.[1]?.toLowerCase() ?? null;
}

async function checkDomain(domain: string, providerId: string, ask: Ask): Promise<Finding[]> {
  const found = async (subject: string, names: string[], pattern: RegExp, fix: string): Promise<Finding> => {
    try {
      const answers = await Promise.all(names.map(ask));
      const record = answers.flat().find((text) => text !== null && pattern.test(text));
      return record ? ok(subject, "there is a record") : warning(subject, `no record at ${names.join(" or ")}`, fix);
    } catch (error) {
      return unknown(
        subject,
        `not checked: the DNS server did not respond (${(error as NodeJS.ErrnoException).code ?? "error"})`,
      );
    }
  };
  const known = selectors[providerId];
  return Promise.all([
    found(
      `SPF of ${domain}`,
      [domain],
      /^v=spf1\b/i,
      `Add a TXT record at ${domain} that begins with v=spf1 and includes the provider.`,
    ),
    known
      ? found(
          `DKIM of ${domain}`,
          known.map((selector) => `${selector}._domainkey.${domain}`),
          /\bp=[A-Za-z0-9+/]/,
          `Add the record that ${providerId} shows for the domain.`,
        )
      : unknown(`DKIM of ${domain}`, `not checked: the selector of ${providerId} is not known`),
    found(
      `DMARC of ${domain}`,
      [`_dmarc.${domain}`],
      /^v=DMARC1\b/i,
      `Add a TXT record at _dmarc.${domain}, such as "v=DMARC1; p=none; rua=mailto:…".`,
    ),
  ]);
}
