// URLs that are safe in the content of messages.

/**
 * Absolute web addresses, or paths on the same site. Browsers read a backslash as a slash and ignore tabs and line ends, so
 * `/\\host` would be another site.
 */
export const isSafeUrl = (url: string): boolean => /^(https?:\/\/|\/(?![/\\]))\P{Cc}*$/iu.test(url);

/** Links in an email: also `mailto:` and `tel:`. */
export const isSafeMailLink = (url: string): boolean => isSafeUrl(url) || /^(mailto|tel):\P{Cc}+$/iu.test(url);

/** Images in an email: also `cid:` attachments and `data:` images. */
export const isSafeImage = (url: string): boolean =>
  isSafeUrl(url) || /^cid:[^\s"'<>]+$/i.test(url) || /^data:image\/(png|jpe?g|gif|webp);base64,[a-z\d+/=]*$/i.test(url);
