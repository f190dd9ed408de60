import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import { signWebhook, verifyWebhook } from "./webhook-signature.ts";

const secret = "a secret of some length";
const body = '{"id":"approval-1","input":{"city":"São Paulo"}}';
const t = 1_760_000_000;
const now = t * 1000;
const header = signWebhook(body, secret, t);

test("computes the same signature as openssl", () => {
  // printf '1760000000.hello' | openssl dgst -sha256 -hmac 'key'
  expect(signWebhook("hello", "key", t)).toBe(
    "t=1760000000,v1=5902bf3a003202be4c4286437a6070b83eccb14255b71a79a991a6735b306e71",
  );
});

describe("signed message", () => {
  test("is genuine as text and as bytes", () => {
    expect(verifyWebhook(body, header, secret, { now })).toBe(true);
    expect(verifyWebhook(new TextEncoder().encode(body), header, secret, { now })).toBe(true);
  });

  test.each([
    ["five minutes old", 300_000, true],
    ["older than five minutes", 300_001, false],
    ["from a clock five minutes ahead", -300_000, true],
    ["from a clock more than five minutes ahead", -300_001, false],
    ["with an invalid clock", Number.NaN, false],
  ])("%s (%d ms) is genuine: %j", (_, later, is) => {
    expect(verifyWebhook(body, header, secret, { now: now + later })).toBe(is);
  });

  test("is refused above the tolerance of the receiver", () => {
    expect(verifyWebhook(body, header, secret, { now: now + 1001, toleranceMs: 1000 })).toBe(false);
    expect(verifyWebhook(body, header, secret, { now, toleranceMs: Number.NaN })).toBe(false);
  });

  test.each([
    ["another body", `${body} `, header, secret],
    ["another secret", body, header, `${secret}!`],
    ["no secret", body, signWebhook(body, "", t), ""],
    ["another time", body, header.replace("t=1", "t=2"), secret],
    ["no header", body, undefined, secret],
    ["an empty header", body, "", secret],
    ["no signature", body, `t=${t}`, secret],
    ["a short signature", body, header.slice(0, -2), secret],
    ["something after the signature", body, `${header},v1=x`, secret],
    ["a signature in capitals", body, header.toUpperCase(), secret],
  ])("is not genuine with %s", (_, given, signature, key) => {
    expect(verifyWebhook(given, signature, key, { now })).toBe(false);
  });
});

const inCapitalsFrom = (index: number): string => header.slice(0, index) + header.slice(index).toUpperCase();

test("accepts no other header and never throws", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText(), fc.nat(header.length).map(inCapitalsFrom)), (text) => {
      expect(verifyWebhook(body, text, secret, { now })).toBe(text === header);
    }),
  );
});

test("accepts every signed message", () => {
  fc.assert(
    fc.property(anyText(), fc.string({ minLength: 1 }), fc.nat(), (text, key, at) => {
      expect(verifyWebhook(text, signWebhook(text, key, at), key, { now: at * 1000 })).toBe(true);
    }),
  );
});
