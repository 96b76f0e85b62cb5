// URLs that are safe in the content of messages.

/**
 * Absolute web addresses, or paths on the same site. Browsers read a backslash as a slash and ignore tabs and line
 * ends, so `/\\host` would be another site.
 */
export const isSafeUrl = (url: string): boolean => /^(https?:\/\/|\/(?![/\\]))\P{Cc}*$/iu.test(url);

/** Schemes of links other than web addresses. Each opens its own program, for a message, a call or a calendar. */
export const usualSchemes = ["mailto", "tel", "sms", "webcal"];

const usualPattern = new RegExp(`^(${usualSchemes.join("|")}):\\P{Cc}+$`, "iu");

/** Links that every environment keeps in an email: also `mailto:`, `tel:`, `sms:` and `webcal:`. */
export const isUsualLink = (url: string): boolean => isSafeUrl(url) || usualPattern.test(url);

/**
 * The schemes of apps that the environment allows. A variable of this module instead of an argument, as the budget of
 * work is (lib/work.ts): a filter inside a template needs it too. Outside of `withLinkSchemes` no link to an app is
 * kept.
 */
let appSchemes: readonly string[] = [];

/** Renders content of an environment, which keeps links with these schemes. `work` is synchronous. */
export function withLinkSchemes<T>(schemes: readonly string[], work: () => T): T {
  const outer = appSchemes;
  appSchemes = schemes;
  try {
    return work();
  } finally {
    appSchemes = outer;
  }
}

export const currentLinkSchemes = (): readonly string[] => appSchemes;

const isAppLink = (url: string): boolean => {
  const [, scheme] = /^([a-z][a-z\d+.-]*):\P{Cc}+$/iu.exec(url) ?? [];
  return scheme !== undefined && appSchemes.includes(scheme.toLowerCase());
};

/** Links in an email: usual ones, and those to the apps of the environment. */
export const isSafeMailLink = (url: string): boolean => isUsualLink(url) || (appSchemes.length > 0 && isAppLink(url));

/** Images in an email: also `cid:` attachments and `data:` images. */
export const isSafeImage = (url: string): boolean =>
  isSafeUrl(url) || /^cid:[^\s"'<>]+$/i.test(url) || /^data:image\/(png|jpe?g|gif|webp);base64,[a-z\d+/=]*$/i.test(url);
