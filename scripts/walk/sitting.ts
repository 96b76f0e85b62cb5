// One sitting of an author: the order confirmation in two languages, from an empty workflow to production, with a
// numbered picture of each stage. The test packages/server/test/dashboard/editor/one-sitting.rest.test.ts plays the same.
import { password } from "../../packages/server/test/app/members/browsers.ts";
import { sit } from "../../packages/server/test/dashboard/editor/sitting.ts";
import type { World } from "./world.ts";

export async function walkSitting({ url, owner, openPage, picture, check }: World): Promise<void> {
  // The mail follows the scheme that is chosen in the preview, not the one that a browser pretends to prefer.
  const page = await openPage({ viewport: { width: 1440, height: 900 }, colorScheme: null });
  let stages = 0;
  await sit({
    page,
    start: { url, email: owner.session.person.email, password },
    picture: (name) => picture(page, `sitting-${String(++stages).padStart(2, "0")}-${name}`),
  });
  check("an order confirmation is written in two languages and published", stages > 0, `${stages} pictures`);
  await page.context().close();
}
