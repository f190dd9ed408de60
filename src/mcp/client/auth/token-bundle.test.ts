import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTokenBundle, type TokenBundle, trimServerMetadata } from "./token-bundle.ts";

const server = { url: "https://sso.example", issuer: "https://sso.example", requiresDpop: false };
const whole: TokenBundle = {
  version: 1,
  server,
  client: { client_id: "a" },
  tokens: { access_token: "b", token_type: "Bearer", issuedAt: 1 },
  waiting: {
    state: "s",
    verifier: "v",
    url: "https://sso.example/authorize",
    redirectUrl: "http://127.0.0.1:1/",
    until: 5,
    server,
    client: { client_id: "a" },
  },
};

describe("readTokenBundle", () => {
  it("returns a stored bundle", () => {
    expect(readTokenBundle(JSON.stringify(whole))).toEqual(whole);
  });

  it("returns undefined for any other text without throwing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readTokenBundle(text)).toBeUndefined();
      }),
    );
  });

  it("returns undefined when one field is invalid", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("version", "server", "client", "tokens", "waiting"),
        fc.oneof(fc.integer({ min: 2 }), fc.string(), fc.constant(null), fc.array(fc.string())),
        (field, value) => {
          expect(readTokenBundle(JSON.stringify({ ...whole, [field]: value }))).toBeUndefined();
        },
      ),
    );
  });

  it("returns undefined for tokens without their server", () => {
    const { server: _, waiting: __, ...rest } = whole;
    expect(readTokenBundle(JSON.stringify(rest))).toBeUndefined();
  });
});

it("trimServerMetadata keeps only the fields that are needed later", () => {
  const metadata = {
    issuer: "https://sso.example",
    authorization_endpoint: "https://sso.example/authorize",
    token_endpoint: "https://sso.example/token",
    response_types_supported: ["code"],
    claims_supported: ["x".repeat(100_000)],
  };
  const kept = trimServerMetadata({ ...server, metadata, scopes: ["a"] });
  expect(JSON.stringify(kept).length).toBeLessThan(1_000);
  expect(kept.metadata).toMatchObject({ token_endpoint: metadata.token_endpoint });
});
