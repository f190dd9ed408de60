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
import { ToolError } from "../../../words/errors.ts";
import { refusePlace } from "./guarded-fetch.ts";
import { never, unavailable } from "./refusals.ts";

/** Who gives tokens for one MCP server, as far as it was found out and checked. */
export interface AuthorizationServer {
  readonly url: string;
  readonly issuer: string;
  /** Servers of March 2025 may have none: then the paths are the customary ones. */
  readonly metadata?: AuthorizationServerMetadata;
  /** What a token is for, in the server's own words. */
  readonly resource?: string;
  readonly scopes?: readonly string[];
  /** Only tokens that are bound to a key of ours are taken. */
  readonly wantsBound: boolean;
}

interface ServerSearch {
  readonly id: string;
  readonly serverUrl: string;
  readonly resourceMetadataUrl: URL | undefined;
  /** The only issuer that is believed. */
  readonly issuer: string | undefined;
  readonly fetch: FetchLike;
}

const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, "") === other.replace(/\/$/, "");

/** Nothing at all is what servers of March 2025 have; anything that cannot be read is refused, not passed over. */
const findResource = async (search: ServerSearch): Promise<OAuthProtectedResourceMetadata | undefined> => {
  let isThere = true;
  const noting: FetchLike = async (url, init) => {
    const response = await search.fetch(url, init);
    // Some answer any path with a page of theirs.
    const isPage = response.ok && !isJsonContentType(response.headers.get("content-type"));
    isThere = !isPage && (response.status < 400 || response.status >= 500);
    return response;
  };
  const { id, serverUrl, resourceMetadataUrl } = search;
  try {
    return await discoverOAuthProtectedResourceMetadata(
      serverUrl,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      noting,
    );
  } catch (error) {
    if (ToolError.is(error)) throw error;
    if (!isThere && resourceMetadataUrl === undefined) return undefined;
    throw unavailable(id, "has metadata of its protection that could not be read");
  }
};

const chooseServer = ({ id, issuer }: ServerSearch, offered: readonly string[]): string | undefined => {
  if (issuer === undefined || offered.length === 0) return offered[0];
  const wanted = offered.find((one) => isSameIssuer(one, issuer));
  if (wanted === undefined)
    throw never(id, "names other authorization services than the issuer it is held to");
  return wanted;
};

/**
 * In March 2025 the metadata lay at the root of the server's own origin, whatever issuer it named. That is taken only
 * where the server has no metadata of its protection, and nothing in it leads to another origin.
 */
const findOldMetadata = async ({ id, fetch }: ServerSearch, root: URL) => {
  const found = await discoverAuthorizationServerMetadata(root, {
    fetchFn: fetch,
    skipIssuerValidation: true,
  });
  const leads = [found?.issuer, found?.authorization_endpoint, found?.token_endpoint];
  const isOwn = leads.every(
    (one) => one !== undefined && URL.canParse(one) && new URL(one).origin === root.origin,
  );
  if (!isOwn) throw never(id, "has an authorization service whose metadata names another issuer");
  return found;
};

const findMetadata = async (search: ServerSearch, url: string, isOld: boolean) => {
  try {
    return await discoverAuthorizationServerMetadata(url, { fetchFn: search.fetch });
  } catch (error) {
    if (ToolError.is(error)) throw error;
    if (!(error instanceof IssuerMismatchError))
      throw unavailable(search.id, "has an authorization service whose metadata could not be read");
    if (isOld) return findOldMetadata(search, new URL(url));
    throw never(search.id, "has an authorization service whose metadata names another issuer");
  }
};

const check = ({ id, serverUrl, issuer }: ServerSearch, found: AuthorizationServer): AuthorizationServer => {
  const server = new URL(serverUrl);
  if (issuer !== undefined && !isSameIssuer(issuer, found.issuer))
    throw never(id, "has another authorization service than the issuer it is held to");
  const { authorization_endpoint, token_endpoint, registration_endpoint } = found.metadata ?? {};
  for (const url of [found.url, authorization_endpoint, token_endpoint, registration_endpoint]) {
    const reason = url === undefined ? undefined : refusePlace(url, server);
    if (reason !== undefined) throw never(id, `has an authorization service with a URL that ${reason}`);
  }
  return found;
};

/** Asked again whenever a server refuses us: it may have moved to another authorization service. */
export const findAuthorizationServer = async (search: ServerSearch): Promise<AuthorizationServer> => {
  const { id, serverUrl } = search;
  const resource = await findResource(search);
  const requestedResource = resourceUrlFromServerUrl(serverUrl);
  if (
    resource !== undefined &&
    !checkResourceAllowed({ requestedResource, configuredResource: resource.resource })
  )
    throw never(id, "says that its tokens are for another resource than itself");
  const named = chooseServer(search, resource?.authorization_servers ?? []);
  const url = named ?? new URL("/", serverUrl).href;
  const metadata = await findMetadata(search, url, resource === undefined);
  return check(search, {
    url,
    issuer: metadata?.issuer ?? url,
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource: resource.resource }),
    ...(resource?.scopes_supported === undefined ? {} : { scopes: resource.scopes_supported }),
    wantsBound: resource?.dpop_bound_access_tokens_required === true,
  });
};
