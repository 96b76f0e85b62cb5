import type { BrowserContext } from "playwright-core";

/** Until accounts exist: a session made up, and the API key in place of its cookie. */
export async function mockSession(context: BrowserContext, url: string, apiKey: string): Promise<void> {
  const environments = (await (
    await fetch(`${url}/v1/environments`, { headers: { authorization: `ApiKey ${apiKey}` } })
  ).json()) as { data?: object[] } & object[];
  const data = {
    person: { _id: "1", name: "Ada Lovelace", email: "ada@example.com", role: "owner", hasPassword: true },
    csrfToken: "x",
    environments: environments.data ?? environments,
    signIn: { password: true, oidc: null },
    version: "0.1.0",
  };
  await context.route(/\/v[12]\//, (route) => {
    if (route.request().url().endsWith("/v1/auth/session")) return route.fulfill({ json: { data } });
    return route.continue({ headers: { ...route.request().headers(), authorization: `ApiKey ${apiKey}` } });
  });
}
