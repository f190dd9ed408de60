import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { InboundToken } from "../../base/credentials/token.ts";
import type { Principal } from "../../types/principal.ts";
import { type BearerChallenge, invalidTokenRejection, readBearer } from "./auth/bearer.ts";
import type { AuthenticatedCaller, Authenticator } from "./auth/host-auth.ts";
import { metadataUrl } from "./auth/jwt-options.ts";
import { headersRejection } from "./checks/headers.ts";
import { hostRejection } from "./checks/host-header.ts";
import { type HttpRoute, type HttpRouteOptions, queryRejection, resolveRoute } from "./checks/http-route.ts";
import { type HttpRejection, httpRejection, isHttpRejection } from "./http-rejection.ts";
import type { Throttle } from "./limits/throttle.ts";

export interface RequestGuardOptions {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  readonly routes: HttpRouteOptions;
  readonly authenticator: Authenticator;
  readonly throttle: Throttle;
}

/** Kept while the connection lasts, because each message is checked. */
export interface CallerCredentials {
  readonly target: string;
  readonly address: string | undefined;
  readonly token: InboundToken | "malformed" | undefined;
}

export const readCallerCredentials = ({ url, socket, headers }: IncomingMessage): CallerCredentials => ({
  target: url!,
  address: socket.remoteAddress,
  token: readBearer(headers.authorization),
});

/** Cheapest check first. */
export interface RequestGuard {
  readonly origin: (request: IncomingMessage) => HttpRejection | undefined;
  readonly route: (request: IncomingMessage) => HttpRoute | HttpRejection;
  /** Counts failures. */
  readonly caller: (proof: CallerCredentials) => Promise<AuthenticatedCaller | HttpRejection>;
  /** Without counting. */
  readonly reauthenticate: (proof: CallerCredentials) => Promise<AuthenticatedCaller | HttpRejection>;
  readonly count: (principal: Principal) => HttpRejection | undefined;
}

export const createRequestGuard = ({
  hosts,
  origins,
  routes,
  authenticator,
  throttle,
}: RequestGuardOptions): RequestGuard => {
  const { metadata } = authenticator;
  const challenge: BearerChallenge =
    metadata === undefined ? {} : { metadataUrl: metadataUrl(metadata.resource) };

  const identify = async ({ token }: CallerCredentials): Promise<AuthenticatedCaller | HttpRejection> =>
    token === "malformed"
      ? invalidTokenRejection(challenge, "The token has invalid characters or an invalid length.")
      : authenticator.identify(token);

  return {
    origin: (request) =>
      headersRejection(request) ??
      hostRejection(request.headers.host, hosts) ??
      originRejection(request.headers, origins),
    route: (request) => resolveRoute(request.url!, request.method, routes),
    caller: async (proof) => {
      const early = queryRejection(proof.target) ?? throttle.address(proof.address);
      if (early !== undefined) return early;
      const found = await identify(proof);
      if (!isHttpRejection(found)) return found;
      return (found.status === 401 ? throttle.failed(proof.address) : undefined) ?? found;
    },
    reauthenticate: identify,
    count: throttle.principal,
  };
};

const forbiddenOriginRejection = (): HttpRejection =>
  httpRejection(
    403,
    "forbidden_origin",
    "Pages of this origin may not call this host. To allow them, add the origin to allowedOrigins.",
  );

const originRejection = (
  headers: IncomingHttpHeaders,
  allowed: ReadonlySet<string>,
): HttpRejection | undefined => {
  const { origin } = headers;
  if (origin !== undefined) {
    const host = headers.host?.toLowerCase();
    const isSameOrigin = origin === `http://${host}` || origin === `https://${host}`;
    return isSameOrigin || allowed.has(origin) ? undefined : forbiddenOriginRejection();
  }
  // Browsers omit Origin in some cross-site requests.
  const site = headers["sec-fetch-site"];
  const isCrossOrigin = site === "cross-site" || site === "same-site";
  return isCrossOrigin && headers["sec-fetch-mode"] !== "navigate" ? forbiddenOriginRejection() : undefined;
};
