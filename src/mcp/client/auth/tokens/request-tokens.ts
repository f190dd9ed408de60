import type { OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import {
  type ClientAuthentication,
  requestToken,
  type TokenRefusal,
  tokenRefusedError,
} from "../../../../base/credentials/oauth/token-request.ts";
import type { CredentialsError } from "../../../../types/errors.ts";
import type { AuthCaller, AuthServices } from "../auth-caller.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import { createDpopSession, type DpopKey } from "./bound-key.ts";
import type { StoredTokens } from "./token-bundle.ts";

interface ServerTokenRequest {
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly key?: DpopKey | undefined;
}

export const requestTokens = Effect.fnUntraced(function* (
  { known, now }: AuthServices,
  { owner, egress }: AuthCaller,
  { server, client, form, key }: ServerTokenRequest,
): Effect.fn.Return<StoredTokens, CredentialsError | TokenRefusal> {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...form, resource: server.resource }))
    if (value !== undefined) fields.set(name, value);
  const granted = yield* requestToken(
    {
      service: `authorization server of the ${owner.label}`,
      tokenUrl: server.metadata?.token_endpoint ?? new URL("/token", server.url).href,
      form: fields,
      authentication: authenticationOf(client, server),
      proof: key && (yield* Effect.promise(() => createDpopSession(key))),
    },
    { client: egress, known, now: now() },
  );
  const { accessToken, tokenType, refreshToken, scope, issuedAt, expiresAt } = granted;
  return {
    access_token: accessToken,
    token_type: tokenType,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    issuedAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
});

/** Rejects if the server refuses the request. */
export const requireTokens = (
  services: AuthServices,
  caller: AuthCaller,
  request: ServerTokenRequest,
): Promise<StoredTokens> =>
  Effect.runPromise(
    Effect.catchTag(requestTokens(services, caller, request), "TokenRefusal", (refusal) =>
      Effect.fail(tokenRefusedError(`authorization server of the ${caller.owner.label}`, refusal)),
    ),
  );

const authMethods = ["client_secret_basic", "client_secret_post", "none"] as const;

/** Uses the method that the client was registered with, or the first one that the server supports. */
const authenticationOf = (
  client: OAuthClientInformationMixed,
  { metadata }: AuthorizationServer,
): ClientAuthentication => {
  const { client_id: clientId, client_secret: clientSecret } = client;
  const supported = metadata?.token_endpoint_auth_methods_supported;
  const registered = "token_endpoint_auth_method" in client ? client.token_endpoint_auth_method : undefined;
  const method = [authMethods.find((one) => one === registered), ...authMethods].find(
    (one) => one !== undefined && (supported === undefined || supported.includes(one)),
  );
  if (method === "none") return { clientId, method: "form" };
  return { clientId, clientSecret, method: method === "client_secret_basic" ? "basic" : "form" };
};
