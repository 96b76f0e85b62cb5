// URLs that are safe in the content of messages.

/**
 * Absolute web addresses, or paths on the same site. Browsers read a backslash as a slash and ignore tabs and line ends, so
 * `/\\host` would be another site.
 */
export const isSafeUrl = (url: string): boolean => /^(https?:\/\/|\/(?![/\\]))\P{Cc}*$/iu.test(url);

/** Schemes of links beside those of web addresses. Each opens a program of its own, for a message, a call or a calendar. */
export const linkSchemes = ["mailto", "tel", "sms", "webcal"];

const linkPattern = new RegExp(`^(${linkSchemes.join("|")}):\\P{Cc}+$`, "iu");

/** Links in an email: also `mailto:`, `tel:`, `sms:` and `webcal:`. */
export const isSafeMailLink = (url: string): boolean => isSafeUrl(url) || linkPattern.test(url);

/** Images in an email: also `cid:` attachments and `data:` images. */
export const isSafeImage = (url: string): boolean =>
  isSafeUrl(url) || /^cid:[^\s"'<>]+$/i.test(url) || /^data:image\/(png|jpe?g|gif|webp);base64,[a-z\d+/=]*$/i.test(url);
