// Finds the one-time codes in a message, for tests of what was sent. No code is better than a wrong one:
//
// - A code is 4 to 8 digits, also as 123 456, 123-456 or G-123456 (returned without separator and prefix), or 6 to 10
//   letters and digits with at least one of each. Parts of amounts, dates, times, phone numbers, links and addresses
//   are not codes, nor are numbers of orders, invoices and the like.
// - It counts when a word such as "code", "PIN" or "OTP" appears in the same sentence: at the start of the sentence
//   ("123456 is your code"), else the first one behind the word, else the last one before it. A year only right behind
//   it.
// - Or when it is alone on its line and one of the two lines before has such a word.
//
// The words cover some thirty languages. Codes for discounts, errors, places and the like are excluded.

const maxLength = 100_000;
const maxLine = 1_000;
const maxCodes = 20;

/** Letters of scripts that put spaces between words; in the others a code may appear right behind one. */
const letter = String.raw`[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]]`;
const wordStart = `(?<!${letter})`;
const wordEnd = `(?!${letter})`;

const wordsWithSpaces = [
  // The last part of a word in Germanic languages: Bestätigungscode, verificatiecode.
  String.raw`\p{L}{0,40}code`,
  ..."codes koden koder kode kod kodu kodunuz kodunu kód kódja código codigo codice codi cod codul koodi koodin".split(
    " ",
  ),
  ..."kods kodas koda otp totp pin pincode passcode mtan nip einmalpasswort einmalkennwort clave senha hasło şifre".split(
    " ",
  ),
  ..."şifreniz код кода кодом коду пароль паролем κωδικός κωδικό رمز الرمز كود קוד הקוד कोड ओटीपी mã".split(" "),
  ...["one-time password", "one time password", "mot de passe à usage unique", "contraseña de un solo uso"],
];
const wordsWithoutSpaces =
  "验证码 驗證碼 校验码 確認碼 确认码 动态密码 動態密碼 認証コード コード 認証番号 確認番号 暗証番号 ワンタイムパスワード " +
  "코드 인증번호 인증 번호 확인번호 รหัส";
const keyword = new RegExp(
  `${wordStart}(?:${wordsWithSpaces.join("|")})${wordEnd}|${wordStart}(?-i:TAN)${wordEnd}|${wordsWithoutSpaces.split(" ").join("|")}`,
  "giv",
);
/** Too common to count unless the code follows at once: "Verification: 482913". */
const weakKeyword = new RegExp(
  `${wordStart}(?:verification|vérification|verificación|bestätigung|password|passwort|kennwort)[\\s:：=]{1,3}$`,
  "iv",
);

/** Words before "code" that make it another kind of code, as a separate word or in a compound. */
const otherKinds =
  "area bar branch country coupon currency de discount dress en error exit gift gutschein html http machine morse post " +
  "postal product promo promotion qr rabatt referral sort source status swift trans uni voucher zip";
const otherKind = new RegExp(`${wordStart}(?:${otherKinds.split(" ").join("|")})[\\s\\-]?$`, "iv");
const otherCompound = new RegExp(`^(?:${otherKinds.split(" ").join("|")})s?code$`, "iv");

const numberedThings =
  "order invoice ticket account customer booking reservation reference ref case room flight gate version build " +
  "bestellung rechnung kunde konto commande facture compte pedido factura cuenta ordine fattura conto";
const label = new RegExp(
  `${wordStart}(?:${numberedThings.split(" ").join("|")})(?: (?:number|no|nr|id))?[.:\\s#]*$`,
  "iv",
);

const candidate = new RegExp(
  `(?<![${letter}\\p{N}_#@+$€£¥%&=\\/\\-])(?<!\\p{N}[.,: \\-])(?<![$€£¥] ?)(?:[A-Z]{1,3}-)?` +
    "(\\d{3}[ \\u00a0\\-]\\d{3}|\\d{4,8}|(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])[A-Za-z0-9]{6,10})" +
    `(?![${letter}\\p{N}_@%$€£¥&=\\/\\-])(?![.,:]\\p{N})(?![ \\u00a0]\\d)(?! ?[€$£¥%])`,
  "gv",
);
/** `15minutes`: a number with its unit. */
const measure = /^\d+[a-z]+$/;
const year = /^(?:19|20)\d\d$/;
const aloneOnLine = /^[^\p{L}\p{N}]*(?:[A-Z]{1,3}-)?(\d(?: \d){3,7}|[A-Za-z0-9]+(?:[ \u00a0-]\d{3})?)[^\p{L}\p{N}]*$/u;

type Found = { code: string; at: number; end: number };

export function findCodes(texts: readonly (string | undefined)[]): string[] {
  const lines = texts
    .flatMap((text) => (text ?? "").slice(0, maxLength).split(/[\r\n\u2028]+/))
    .map((line) => line.slice(0, maxLine).replace(/\S+/g, withoutAddress).trim())
    .filter((line) => line !== "");
  const found = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const alone = codeAlone(line);
    const isCode = alone && lines.slice(Math.max(0, index - 2), index).some((before) => keywordsIn(before).length > 0);
    if (isCode) found.add(alone);
    for (const sentence of line.split(/(?<=[.!?])\s+|(?<=[。！？])/u))
      for (const code of codesInSentence(sentence)) found.add(code);
    if (found.size >= maxCodes) break;
  }
  return [...found].slice(0, maxCodes);
}

/** The word without the link in it; an ellipsis instead of an email address. */
function withoutAddress(word: string): string {
  const at = word.indexOf("@", 1);
  if (at > 0 && at < word.length - 1) return " … ";
  const link = word.search(/https?:\/\/\S/i);
  return link < 0 ? word : `${word.slice(0, link)} … `;
}

function codeAlone(line: string): string | null {
  const text = aloneOnLine.exec(line)?.[1];
  if (text === undefined || line.length > 40) return null;
  const single = /^\d(?: \d){3,7}$/.test(text) ? text.replaceAll(" ", "") : text;
  return candidatesIn(single)[0]?.code ?? null;
}

function codesInSentence(sentence: string): string[] {
  const candidates = candidatesIn(sentence);
  if (candidates.length === 0) return [];
  const weak = candidates.filter(({ at }) => weakKeyword.test(sentence.slice(0, at))).map(({ code }) => code);
  const words = keywordsIn(sentence);
  const [first] = candidates;
  if (words.length > 0 && !/[\p{L}\p{N}]/u.test(sentence.slice(0, first!.at))) return [first!.code];
  const strong = words.flatMap(({ at, end }) => {
    const isPlausible = (one: Found) => !year.test(one.code) || (one.at >= end && one.at - end <= 5);
    const plausible = candidates.filter(isPlausible);
    return (plausible.find((one) => one.at >= end) ?? plausible.findLast((one) => one.end <= at))?.code ?? [];
  });
  return [...weak, ...strong];
}

const keywordsIn = (text: string): { at: number; end: number }[] =>
  [...text.matchAll(keyword)].flatMap(({ 0: word, index }) =>
    otherCompound.test(word) || (/code/i.test(word) && otherKind.test(text.slice(0, index)))
      ? []
      : [{ at: index, end: index + word.length }],
  );

const candidatesIn = (text: string): Found[] =>
  [...text.matchAll(candidate)].flatMap(({ 0: whole, 1: token = "", index }) =>
    measure.test(token) || label.test(text.slice(0, index))
      ? []
      : [{ code: token.replace(/[ \u00a0-]/g, ""), at: index, end: index + whole.length }],
  );
