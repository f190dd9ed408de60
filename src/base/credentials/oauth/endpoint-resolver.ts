import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { OutsideClient } from "../../http/outside.ts";
import { readJson } from "../../json/read-json.ts";
import type { CredentialsError } from "../../words/errors.ts";
import { refuseEndpoint } from "./endpoint.ts";
import type { OAuthCredential } from "./oauth-credential.ts";
import { refusedBy, unavailable } from "./refusals.ts";

/** Where a service is asked, and whether its answers say who they come from. */
export interface Endpoints {
  readonly tokenUrl: string;
  readonly authorizationUrl: string | undefined;
  readonly saysIssuer: boolean;
}

const limits = { timeoutMs: 20_000, maxBytes: 256 * 1024, redirects: 0 };
const cacheMs = 3_600_000;

/** RFC 8414 puts its name between host and path; OpenID Connect, which most servers speak too, after it. */
const placesOf = (issuer: string): readonly string[] => {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
};

const read = (name: string, issuer: string, body: Uint8Array): Endpoints | CredentialsError => {
  const reading = readJson(new TextDecoder().decode(body), { maxLength: limits.maxBytes });
  const found = (reading.ok ? reading.value : undefined) as Readonly<Record<string, unknown>> | undefined;
  if (typeof found !== "object" || found === null) return refusedBy(name, "has metadata that cannot be read");
  if (found.issuer !== issuer) return refusedBy(name, "has metadata of another issuer");
  for (const field of ["token_endpoint", "authorization_endpoint"]) {
    const reason = found[field] === undefined ? undefined : refuseEndpoint(found[field]);
    if (reason !== undefined) return refusedBy(name, `has metadata whose ${field} ${reason}`);
  }
  if (found.token_endpoint === undefined) return refusedBy(name, "has metadata without a token_endpoint");
  const methods = found.code_challenge_methods_supported;
  if (Array.isArray(methods) && !methods.includes("S256"))
    return refusedBy(name, "does not take PKCE with S256, so nobody can sign in safely");
  return {
    tokenUrl: found.token_endpoint as string,
    authorizationUrl: found.authorization_endpoint as string | undefined,
    saysIssuer: found.authorization_response_iss_parameter_supported === true,
  };
};

const ask = Effect.fnUntraced(function* (name: string, issuer: string, client: OutsideClient) {
  for (const url of placesOf(issuer)) {
    const response = yield* Effect.mapError(client.request({ url, ...limits }), (error) => {
      const what = `has no metadata: ${error.message.replace(/\.$/, "")}`;
      return error.retryable ? unavailable(name, what) : refusedBy(name, what);
    });
    if (response.status >= 500) return yield* Effect.fail(unavailable(name, `answered ${response.status}`));
    if (response.status !== 200) continue;
    const found = read(name, issuer, response.body);
    return "failure" in found ? yield* Effect.fail(found) : found;
  }
  return yield* Effect.fail(refusedBy(name, `has no metadata under ${placesOf(issuer).join(" or ")}`));
});

/** The endpoints of each credential: as configured, the rest from the issuer's metadata. */
export const endpointsBy = () => {
  const kept = new Map<string, { readonly found: Endpoints; readonly until: number }>();
  return Effect.fnUntraced(function* (name: string, credential: OAuthCredential, client: OutsideClient) {
    const { tokenUrl, issuer, grant } = credential;
    const authorizationUrl = grant === "authorization_code" ? credential.authorizationUrl : undefined;
    const isWhole =
      tokenUrl !== undefined && (grant !== "authorization_code" || authorizationUrl !== undefined);
    // Nothing says that such a server leaves its name out, so it is held to what was configured.
    if (isWhole) return { tokenUrl, authorizationUrl, saysIssuer: issuer !== undefined };
    const now = yield* Clock.currentTimeMillis;
    const known = kept.get(name);
    const fits = known !== undefined && now < known.until;
    const found = fits ? known.found : yield* ask(name, issuer!, client);
    if (!fits) kept.set(name, { found, until: now + cacheMs });
    return {
      ...found,
      tokenUrl: tokenUrl ?? found.tokenUrl,
      authorizationUrl: authorizationUrl ?? found.authorizationUrl,
    };
  });
};
