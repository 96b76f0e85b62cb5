// Addresses that content may carry.

/**
 * Links that a message may carry: absolute web addresses, or paths of the product itself. Browsers read a backslash as a
 * slash and leave out tabs and line ends, so `/\\host` would be another site.
 */
export const isSafeUrl = (url: string): boolean => /^(https?:\/\/|\/(?![/\\]))\P{Cc}*$/iu.test(url);

/** What a link in a mail may lead to: also an address or a phone number. */
export const isSafeMailLink = (url: string): boolean => isSafeUrl(url) || /^(mailto|tel):\P{Cc}+$/iu.test(url);

/** What an image in a mail may come from: also an attachment, or the picture itself. */
export const isSafeImage = (url: string): boolean =>
  isSafeUrl(url) || /^cid:[^\s"'<>]+$/i.test(url) || /^data:image\/(png|jpe?g|gif|webp);base64,[a-z\d+/=]*$/i.test(url);
