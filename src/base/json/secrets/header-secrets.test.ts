import { expect, it } from "vitest";
import { redactor } from "../redact.ts";

const masked = (secret: string, text: string): string => redactor({ secrets: () => [secret] }).text(text);

it.each([
  ["Bearer tok-0123456789", "you are tok-0123456789", "you are [redacted]"],
  ["token tok-0123456789", "tok-0123456789", "[redacted]"],
  ["SSWS 00Abc-0123456789\n", "00Abc-0123456789", "[redacted]"],
  [
    `Basic ${Buffer.from("robot:Long-Pass-98").toString("base64")}`,
    "robot has Long-Pass-98",
    "robot has [redacted]",
  ],
])("masks the token or password of %j on its own", (secret, text, shown) => {
  expect(masked(secret, text)).toBe(shown);
  expect(masked(secret, `<${secret}>`)).toBe("<[redacted]>");
});

it("masks a numeric token of a header as a value", () => {
  expect(redactor({ secrets: () => ["Bearer 1234567890"] }).value({ id: 1234567890 })).toEqual({
    id: "[redacted]",
  });
});

it("masks a phrase as a whole and keeps its words", () => {
  expect(masked("correct horse battery", "a horse battery")).toBe("a horse battery");
  expect(masked("Bearer short", "in short")).toBe("in short");
});

it("forgets the parts of a secret together with the secret", () => {
  let held = ["Bearer tok-0123456789"];
  const following = redactor({ secrets: () => held });
  expect(following.text("tok-0123456789")).toBe("[redacted]");
  held = ["another-secret"];
  expect(following.text("tok-0123456789")).toBe("tok-0123456789");
});
