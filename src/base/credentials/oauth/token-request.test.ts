import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CredentialsError } from "../../../types/errors.ts";
import { knownSecrets } from "../known-secrets.ts";
import { requestToken, type TokenGrant, tokenRefusedError } from "./token-request.ts";

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
