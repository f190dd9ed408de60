import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CredentialsError } from "../../../types/errors.ts";
import type { HttpEgressClient, HttpEgressRequest } from "../../http/http-egress.ts";
import { knownSecrets } from "../credentials.ts";
import {
  type KeyProof,
  requestToken,
  type TokenGrant,
  type TokenRequest,
  tokenRefusedError,
} from "./token-request.ts";

const field = fc.oneof(
  fc.constantFrom(
    "canary-token",
    "canary token",
    "canary\n",
    "",
    "Bearer",
    "bearer",
    "mac",
    "invalid_grant",
    "canary!",
  ),
  fc.jsonValue(),
);

const body = fc.oneof(
  fc
    .record(
      {
        access_token: field,
        refresh_token: field,
        token_type: field,
        expires_in: fc.oneof(fc.double(), fc.constantFrom("3600", "-1", "1e9", null, 0)),
        error: field,
        error_description: field,
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string().map((text) => `canary ${text}`),
);

it("requestToken returns a token that is valid in a header, or an error without content of the response", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(200, 201, 204, 302, 400, 401, 404, 429, 500),
      body,
      async (status, text) => {
        const known = knownSecrets([]);
        const result = await requestToken(
          {
            service: "token service",
            tokenUrl: "https://login.example/token",
            form: new URLSearchParams(),
            authentication: { clientId: "id", clientSecret: "canary-secret", method: "basic" },
          },
          {
            known,
            now: 0,
            client: {
              request: ({ url }) =>
                Effect.succeed({ url, status, headers: new Headers(), body: new TextEncoder().encode(text) }),
            },
          },
        ).pipe(Effect.result, Effect.runPromise);
        if (Result.isSuccess(result)) {
          const { accessToken, refreshToken, expiresAt = 0 }: TokenGrant = result.success;
          new Headers({ authorization: `Bearer ${accessToken}` });
          expect([...known.all()]).toEqual(
            expect.arrayContaining([accessToken, refreshToken ?? accessToken]),
          );
          expect(Number.isFinite(expiresAt) && expiresAt >= 0).toBe(true);
        } else {
          const { failure } = result;
          const error =
            failure._tag === "TokenRefusal" ? tokenRefusedError("token service", failure) : failure;
          expect(error).toBeInstanceOf(CredentialsError);
          expect(inspect(error, { depth: 9 })).not.toContain("canary");
        }
      },
    ),
    { numRuns: 1_000 },
  ));

/** Answers with these responses in turn, and records the requests. */
const playRequest = async (
  responses: readonly { readonly status: number; readonly fields: object; readonly nonce?: string }[],
  more: Partial<TokenRequest> = {},
) => {
  const sent: HttpEgressRequest[] = [];
  const request: TokenRequest = {
    service: "token service",
    tokenUrl: "https://login.example/token",
    form: new URLSearchParams({ grant_type: "client_credentials" }),
    authentication: { clientId: "a b", clientSecret: "c:d", method: "basic" },
    ...more,
  };
  const client: HttpEgressClient = {
    request: (one) => {
      const { status, fields, nonce } = responses[sent.length]!;
      sent.push(one);
      const headers = new Headers(nonce === undefined ? {} : { "dpop-nonce": nonce });
      const body = new TextEncoder().encode(JSON.stringify(fields));
      return Effect.succeed({ url: one.url, status, headers, body });
    },
  };
  const asked = requestToken(request, { client, known: knownSecrets([]), now: 1_000 });
  return { result: await Effect.runPromise(Effect.result(asked)), sent };
};

it("requestToken encodes the client id and the secret of a Basic header (RFC 6749)", async () => {
  const { result, sent } = await playRequest([
    { status: 200, fields: { access_token: "t", expires_in: 60 } },
  ]);
  expect(result).toMatchObject({ success: { accessToken: "t", issuedAt: 1_000, expiresAt: 61_000 } });
  expect(sent[0]?.headers?.authorization).toBe(`Basic ${btoa("a+b:c%3Ad")}`);
  expect(sent[0]?.body).toBe("grant_type=client_credentials");
});

it("requestToken reads an OAuth error that is answered with the status 200", async () => {
  const { result } = await playRequest([{ status: 200, fields: { error: "invalid_grant" } }]);
  expect(result).toMatchObject({ failure: { _tag: "TokenRefusal", code: "invalid_grant" } });
});

it("requestToken repeats a request once with the nonce that a DPoP server demands", async () => {
  const nonces: (string | null)[] = [];
  const proof: KeyProof = {
    buildProof: async () => `proof-${nonces.at(-1)}`,
    observeNonce: ({ headers }) => void nonces.push(headers.get("dpop-nonce")),
  };
  const demand = { status: 400, fields: { error: "use_dpop_nonce" }, nonce: "n" };
  const granted = { status: 200, fields: { access_token: "t", token_type: "DPoP" } };
  const { result, sent } = await playRequest([demand, granted], { proof });
  expect(sent.map(({ headers }) => headers?.dpop)).toEqual(["proof-undefined", "proof-n"]);
  expect(result).toMatchObject({ success: { tokenType: "DPoP" } });
  const again = await playRequest([demand, demand], { proof });
  expect(again.result).toMatchObject({ failure: { code: "use_dpop_nonce" } });
  const unbound = await playRequest([granted]);
  expect(unbound.result).toMatchObject({ failure: { code: "secret_missing" } });
});
