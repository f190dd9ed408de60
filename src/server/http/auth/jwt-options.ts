import { endpointProblem } from "../../../base/credentials/oauth/oauth-credential.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { checkPatterns } from "./check-principal.ts";
import type { JwtAuth, ResourceMetadata } from "./host-auth.ts";

/** With symmetric algorithms, any verifier could sign tokens. */
const asymmetricAlgorithms: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const authConfigError = (where: string, what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/auth/${where} ${what}`);

export const readAlgorithms = ({ algorithms }: JwtAuth): string[] => {
  if (algorithms?.length === 0)
    throw authConfigError("algorithms", "is empty, so no token could be verified.");
  for (const name of algorithms ?? []) {
    if (!asymmetricAlgorithms.includes(name))
      throw authConfigError(
        "algorithms",
        `has ${JSON.stringify(String(name).slice(0, 20))}; use ${asymmetricAlgorithms.join(", ")}.`,
      );
  }
  return [...(algorithms ?? asymmetricAlgorithms)];
};

const isScope = (scope: string): boolean => /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(scope);

export const checkJwtOptions = (auth: JwtAuth): void => {
  const issuer = endpointProblem(auth.issuer);
  if (issuer !== undefined)
    throw authConfigError("issuer", `${issuer}; it must be exactly the iss claim of the tokens.`);
  const audience = endpointProblem(auth.audience);
  if (audience !== undefined)
    throw authConfigError(
      "audience",
      `${audience}; it must be the public URL of this endpoint, which is the aud claim of the tokens.`,
    );
  const tolerance = auth.clockToleranceSec ?? 0;
  if (!Number.isFinite(tolerance) || tolerance < 0 || tolerance > 300)
    throw authConfigError("clockToleranceSec", "must be a number from 0 to 300.");
  const refresh = auth.jwksRefreshSec ?? 300;
  if (!Number.isFinite(refresh) || refresh < 1 || refresh > 86_400)
    throw authConfigError("jwksRefreshSec", "must be a number of seconds from 1 to 86400.");
  for (const scope of [...Object.keys(auth.scopes ?? {}), ...(auth.requiredScopes ?? [])]) {
    if (!isScope(scope))
      throw authConfigError(
        "scopes",
        "has an invalid scope name. Scopes cannot contain spaces, quotes or backslashes.",
      );
  }
  for (const [scope, patterns] of Object.entries(auth.scopes ?? {}))
    checkPatterns(patterns, `/auth/scopes/${scope}`);
};

export const resourceMetadata = (auth: JwtAuth): ResourceMetadata =>
  Object.freeze({
    resource: auth.audience,
    authorization_servers: [auth.issuer],
    scopes_supported: [...new Set([...Object.keys(auth.scopes ?? {}), ...(auth.requiredScopes ?? [])])],
    bearer_methods_supported: ["header"] as const,
  });

const wellKnownPath = "/.well-known/oauth-protected-resource";

const wellKnownPathOf = (resource: string): string =>
  `${wellKnownPath}${new URL(resource).pathname.replace(/\/$/, "")}`;

/** RFC 9728 §3.1: the well-known path goes between host and path. */
export const metadataUrl = (resource: string): string =>
  `${new URL(resource).origin}${wellKnownPathOf(resource)}`;

/** The root, the called path, and the path of the public URL. */
export const metadataPaths = (resource: string, path: string): readonly string[] => [
  ...new Set([wellKnownPath, `${wellKnownPath}${path}`, wellKnownPathOf(resource)]),
];
