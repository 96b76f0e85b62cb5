import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "@tidings/testkit/properties";
import { findCodes } from "../../../src/lib/text/codes.ts";

type Row = [text: string, ...codes: string[]];

const there: Row[] = [
  ["Your code is 482913.", "482913"],
  ["Your verification code: 4829", "4829"],
  ["Your code:482913", "482913"],
  ["Use code 482 913 to sign in", "482913"],
  ["Use code 482-913 to sign in", "482913"],
  ["G-482913 is your Google verification code", "482913"],
  ["482913 is your Acme code for order 99812", "482913"],
  ["Order 99812: your code is 4821", "4821"],
  ["Your code 482913 is valid until 10:30 on 2026-05-01", "482913"],
  ["Your code 48291 expires in 10 minutes. © 2026 Acme", "48291"],
  ["Your PIN is 2024", "2024"],
  ["Your one-time password is A7K2Q9", "A7K2Q9"],
  ["OTP: 77120034", "77120034"],
  ["Verification: 482913", "482913"],
  ["Sign in with the code *482913* (valid for 15minutes)", "482913"],
  ["Enter this code in the app:\n\n482 913\n\nIt is valid for 10 minutes.", "482913"],
  ["Here is your login code\n\n4 8 2 9 1 3\n", "482913"],
  ["Your security code\nPlease do not share it.\n[ A7K2Q9 ]", "A7K2Q9"],
  ["Code A: 482913. Code B: 771200.", "482913", "771200"],
  ["Ihr Bestätigungscode lautet 482913.", "482913"],
  ["Ihre TAN: 482913", "482913"],
  ["Votre code de vérification est 482913", "482913"],
  ["Tu código es 482913", "482913"],
  ["Il tuo codice è 482913", "482913"],
  ["Seu código de verificação: 482913", "482913"],
  ["Je verificatiecode is 482913", "482913"],
  ["Twój kod to 482913", "482913"],
  ["Din kod är 482913", "482913"],
  ["Doğrulama kodunuz: 482913", "482913"],
  ["Ваш код: 482913", "482913"],
  ["Ο κωδικός σας είναι 482913", "482913"],
  ["رمز التحقق الخاص بك هو 482913", "482913"],
  ["קוד האימות שלך: 482913", "482913"],
  ["आपका ओटीपी 482913 है", "482913"],
  ["【Acme】验证码为482913，5分钟内有效。", "482913"],
  ["認証コード：482913", "482913"],
  ["인증번호 482913입니다", "482913"],
  ["Mã xác minh của bạn là 482913", "482913"],
];

const absent: Row[] = [
  ["Your order 482913 has shipped."],
  ["Order number 4711, thank you"],
  ["Use promo code SAVE2024 for 20 % off"],
  ["Discount code: 482913"],
  ["Your postcode is 90210"],
  ["Error code 50012"],
  ["Scan the QR code or call 555 123 4567"],
  ["The code costs $4999 or 4999 € or 4,999.00"],
  ["Your code was sent on 2026-05-01 at 10:30"],
  ["Use your code before May 2026"],
  ["Your code is on its way. Invoice 482913 is attached."],
  ["Your code is at https://example.com/482913 or a482913@example.com"],
  ["The source code has 482913 lines"],
  ["Verification of ticket 482913"],
  ["Code review of version 12345"],
  ["Call +49 301234567 for a code"],
  ["Pay 482913 now"],
  ["Stan 482913 is rather tan 482914"],
  ["Decode 482913"],
  ["My passwords are long"],
  [""],
];

for (const [text, ...codes] of [...there, ...absent]) {
  test(`${codes.join(", ") || "nothing"} in ${JSON.stringify(text)}`, () => assert.deepEqual(findCodes([text]), codes));
}

test("the subject counts as the first line", () => {
  assert.deepEqual(findCodes(["Your Acme code", "482913"]), ["482913"]);
  assert.deepEqual(findCodes(["482913 is your code", undefined]), ["482913"]);
});

test("any text is read in bounded time, and what is found is a code", () => {
  const piece = fc.constantFrom(
    "code",
    "PIN: ",
    " ",
    "\n",
    "482913",
    "1 2 3 4",
    "a1b2c3",
    "-",
    ".",
    "验证码",
    "€",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const code of findCodes([pieces.join("")])) assert.match(code, /^(\d{4,8}|[A-Za-z0-9]{6,10})$/);
    }),
    { numRuns: 200 },
  );
  for (const text of ["code ".repeat(50_000), "1".repeat(200_000), "a1 ".repeat(60_000), "code 1234 ".repeat(20_000)]) {
    assert.ok(findCodes([text]).length <= 20);
  }
});
