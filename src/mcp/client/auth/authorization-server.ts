import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  IssuerMismatchError,
  isJsonContentType,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client";
import {
  authRejectedError,
  authUnavailableError,
} from "../../../base/credentials/oauth/credential-errors.ts";
import { ToolError } from "../../../types/errors.ts";
import { authUrlProblem } from "./guarded-fetch.ts";

export interface AuthorizationServer {
  readonly url: string;
  readonly issuer: string;
  /** MCP 2025-03-26 servers without metadata use the default endpoint paths. */
  readonly metadata?: AuthorizationServerMetadata;
  readonly resource?: string;
  readonly scopes?: readonly string[];
  readonly requiresDpop: boolean;
}

interface AuthorizationServerQuery {
  readonly label: string;
  readonly serverUrl: string;
  readonly resourceMetadataUrl: URL | undefined;
  readonly issuer: string | undefined;
  readonly fetch: FetchLike;
}

export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, "") === other.replace(/\/$/, "");

/** MCP 2025-03-26 servers may have no metadata; metadata that exists must be readable. */
const fetchResourceMetadata = async (
  search: AuthorizationServerQuery,
): Promise<OAuthProtectedResourceMetadata | undefined> => {
  let hasMetadata = true;
  const recordingFetch: FetchLike = async (url, init) => {
    const response = await search.fetch(url, init);
    // Some servers respond to every path with an HTML page.
    const isPage = response.ok && !isJsonContentType(response.headers.get("content-type"));
    hasMetadata = !isPage && (response.status < 400 || response.status >= 500);
    return response;
  };
  const { label, serverUrl, resourceMetadataUrl } = search;
  try {
    return await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      recordingFetch,
    );
  } catch (error) {
    if (ToolError.is(error)) throw error;
    if (!hasMetadata && resourceMetadataUrl === undefined) return undefined;
    throw authUnavailableError(label, "has protected-resource metadata that could not be read");
  }
};

const chooseServer = (
  { label, issuer }: AuthorizationServerQuery,
  offered: readonly string[],
): string | undefined => {
  if (issuer === undefined || offered.length === 0) return offered[0];
  const wanted = offered.find((one) => isSameIssuer(one, issuer));
  if (wanted === undefined)
    throw authRejectedError(label, "names authorization servers other than its configured issuer");
  return wanted;
};

/** MCP 2025-03-26 metadata may name another issuer, so every endpoint must have the server's origin. */
const fetchLegacyMetadata = async ({ label, fetch }: AuthorizationServerQuery, root: URL) => {
  const found = await discoverAuthorizationServerMetadata(root, {
    fetchFn: fetch,
    skipIssuerValidation: true,
  });
  const leads = [found?.issuer, found?.authorization_endpoint, found?.token_endpoint];
  const isSameOrigin = leads.every(
    (one) => one !== undefined && URL.canParse(one) && new URL(one).origin === root.origin,
  );
  if (!isSameOrigin)
    throw authRejectedError(label, "has an authorization server whose metadata names another issuer");
  return found;
};

const fetchServerMetadata = async (search: AuthorizationServerQuery, url: string, isLegacy: boolean) => {
  try {
    return await discoverAuthorizationServerMetadata(url, { fetchFn: search.fetch });
  } catch (error) {
    if (ToolError.is(error)) throw error;
    if (!(error instanceof IssuerMismatchError))
      throw authUnavailableError(
        search.label,
        "has an authorization server whose metadata could not be read",
      );
    if (isLegacy) return fetchLegacyMetadata(search, new URL(url));
    throw authRejectedError(search.label, "has an authorization server whose metadata names another issuer");
  }
};

const checkAuthorizationServer = (
  { label, serverUrl, issuer }: AuthorizationServerQuery,
  found: AuthorizationServer,
): AuthorizationServer => {
  const server = new URL(serverUrl);
  if (issuer !== undefined && !isSameIssuer(issuer, found.issuer))
    throw authRejectedError(label, "has an authorization server other than its configured issuer");
  const { authorization_endpoint, token_endpoint, registration_endpoint } = found.metadata ?? {};
  for (const url of [found.url, authorization_endpoint, token_endpoint, registration_endpoint]) {
    const reason = url === undefined ? undefined : authUrlProblem(url, server);
    if (reason !== undefined)
      throw authRejectedError(label, `has an authorization server with a URL that ${reason}`);
  }
  return found;
};

/** Runs after each rejection, because the server may have moved to another authorization server. */
export const findAuthorizationServer = async (
  search: AuthorizationServerQuery,
): Promise<AuthorizationServer> => {
  const { label, serverUrl } = search;
  const resource = await fetchResourceMetadata(search);
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource, configuredResource: resource.resource })
  )
    throw authRejectedError(label, "has protected-resource metadata of another resource");
  const named = chooseServer(search, resource?.authorization_servers ?? []);
  const url = named ?? new URL("/", serverUrl).href;
  const metadata = await fetchServerMetadata(search, url, resource === undefined);
  return checkAuthorizationServer(search, {
    url,
    issuer: metadata?.issuer ?? url,
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource: resource.resource }),
    ...(resource?.scopes_supported === undefined ? {} : { scopes: resource.scopes_supported }),
    requiresDpop: resource?.dpop_bound_access_tokens_required === true,
  });
};
