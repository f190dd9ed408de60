import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { CredentialsError } from "../../../types/errors.ts";
import type { HttpEgressClient } from "../../http/http-egress.ts";
import { readJson } from "../../json/read-json.ts";
import { authRejectedError, authUnavailableError, tokenServiceOf } from "./credential-errors.ts";
import { endpointProblem, type OAuthCredential } from "./oauth-credential.ts";

export interface OAuthEndpoints {
  readonly tokenUrl: string;
  readonly authorizationUrl: string | undefined;
  readonly saysIssuer: boolean;
}

const metadataRequestLimits = { timeoutMs: 20_000, maxBytes: 256 * 1024, redirects: 0 };
const metadataCacheMs = 3_600_000;

/** RFC 8414 inserts the well-known path between host and path. OpenID Connect appends it. */
const metadataUrlsOf = (issuer: string): readonly string[] => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
};

const readMetadata = (
  service: string,
  issuer: string,
  body: Uint8Array,
): OAuthEndpoints | CredentialsError => {
  const reading = readJson(new TextDecoder().decode(body), { maxLength: metadataRequestLimits.maxBytes });
  const found = (reading.ok ? reading.value : undefined) as Readonly<Record<string, unknown>> | undefined;
  if (typeof found !== "object" || found === null)
    return authRejectedError(service, "has metadata that cannot be read");
  if (found.issuer !== issuer) return authRejectedError(service, "has metadata of another issuer");
  for (const field of ["token_endpoint", "authorization_endpoint"]) {
    const reason = found[field] === undefined ? undefined : endpointProblem(found[field]);
    if (reason !== undefined) return authRejectedError(service, `has metadata whose ${field} ${reason}`);
  }
  if (found.token_endpoint === undefined)
    return authRejectedError(service, "has metadata without a token_endpoint");
  const methods = found.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes("S256"))
    return authRejectedError(service, "does not support PKCE with S256, so signing in is not safe");
  return {
    tokenUrl: found.token_endpoint as string,
    authorizationUrl: found.authorization_endpoint as string | undefined,
    saysIssuer: found.authorization_response_iss_parameter_supported === true,
  };
};

const fetchMetadata = Effect.fnUntraced(function* (
  service: string,
  issuer: string,
  client: HttpEgressClient,
) {
  for (const url of metadataUrlsOf(issuer)) {
    const response = yield* Effect.mapError(client.request({ url, ...metadataRequestLimits }), (error) => {
      const what = `has no metadata: ${error.message.replace(/\.$/, "")}`;
      return error.retryable ? authUnavailableError(service, what) : authRejectedError(service, what);
    });
    if (response.status >= 500)
      return yield* Effect.fail(authUnavailableError(service, `answered ${response.status}`));
    if (response.status !== 200) continue;
    const found = readMetadata(service, issuer, response.body);
    return "failure" in found ? yield* Effect.fail(found) : found;
  }
  return yield* Effect.fail(
    authRejectedError(service, `has no metadata under ${metadataUrlsOf(issuer).join(" or ")}`),
  );
});

export const endpointResolver = () => {
  const kept = new Map<string, { readonly found: OAuthEndpoints; readonly until: number }>();
  return Effect.fnUntraced(function* (name: string, credential: OAuthCredential, client: HttpEgressClient) {
    const { tokenUrl, issuer, grant } = credential;
    const authorizationUrl = grant === "authorization_code" ? credential.authorizationUrl : undefined;
    const isWhole =
      tokenUrl !== undefined && (grant !== "authorization_code" || authorizationUrl !== undefined);
    // Without metadata, a configured issuer is required in the response.
    if (isWhole) return { tokenUrl, authorizationUrl, saysIssuer: issuer !== undefined };
    const now = yield* Clock.currentTimeMillis;
    const known = kept.get(name);
    const fits = known !== undefined && now < known.until;
    const found = fits ? known.found : yield* fetchMetadata(tokenServiceOf(name), issuer!, client);
    if (!fits) kept.set(name, { found, until: now + metadataCacheMs });
    return {
      ...found,
      tokenUrl: tokenUrl ?? found.tokenUrl,
      authorizationUrl: authorizationUrl ?? found.authorizationUrl,
    };
  });
};
