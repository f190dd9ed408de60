import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { InboundToken } from "../credentials/token.ts";
import type { Principal } from "../words/principal.ts";
import { type BearerChallenge, invalidToken, readBearer } from "./auth/bearer.ts";
import type { Authenticator, Identified } from "./auth/host-auth.ts";
import { metadataUrl } from "./auth/jwt-options.ts";
import { refuseHeaders } from "./checks/headers.ts";
import { refuseHost } from "./checks/host-header.ts";
import { placeOf, type Route, type RouteOptions, refuseQuery } from "./checks/place.ts";
import type { Throttle } from "./limits/throttle.ts";
import { type HttpRefusal, isRefusal, refusal } from "./refusal.ts";

export interface GateOptions {
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  readonly places: RouteOptions;
  readonly authenticator: Authenticator;
  readonly throttle: Throttle;
}

/** What a caller showed, kept for as long as its connection lasts: it is asked for again with each message. */
export interface Proof {
  readonly target: string;
  readonly address: string | undefined;
  readonly token: InboundToken | "malformed" | undefined;
}

export const proofOf = ({ url, socket, headers }: IncomingMessage): Proof => ({
  target: url!,
  address: socket.remoteAddress,
  token: readBearer(headers.authorization),
});

/** The checks in their order, cheapest and most general first. Which one refuses first is what a client sees. */
export interface Gate {
  /** Headers that mean one thing, a host that is ours, a page that may. */
  readonly origin: (request: IncomingMessage) => HttpRefusal | undefined;
  readonly place: (request: IncomingMessage) => Route | HttpRefusal;
  /** Who is calling. Failures are counted, messages are not. */
  readonly caller: (proof: Proof) => Promise<Identified | HttpRefusal>;
  /** The same question about somebody who is here already, and nothing is counted. */
  readonly isStillKnown: (proof: Proof) => Promise<Identified | HttpRefusal>;
  /** One more message of a caller that is known. */
  readonly count: (principal: Principal) => HttpRefusal | undefined;
}

export const gate = ({ hosts, origins, places, authenticator, throttle }: GateOptions): Gate => {
  const { metadata } = authenticator;
  const challenge: BearerChallenge =
    metadata === undefined ? {} : { metadataUrl: metadataUrl(metadata.resource) };

  const identify = async ({ token }: Proof): Promise<Identified | HttpRefusal> =>
    token === "malformed"
      ? invalidToken(challenge, "The token has characters or a length that no token has.")
      : authenticator.identify(token);

  return {
    origin: (request) =>
      refuseHeaders(request) ??
      refuseHost(request.headers.host, hosts) ??
      refuseOrigin(request.headers, origins),
    place: (request) => placeOf(request.url!, request.method, places),
    caller: async (proof) => {
      const early = refuseQuery(proof.target) ?? throttle.address(proof.address);
      if (early !== undefined) return early;
      const found = await identify(proof);
      if (!isRefusal(found)) return found;
      return (found.status === 401 ? throttle.failed(proof.address) : undefined) ?? found;
    },
    isStillKnown: identify,
    count: throttle.principal,
  };
};

const forbidden = (): HttpRefusal =>
  refusal(
    403,
    "forbidden_origin",
    "Pages of this origin may not call this host. Add the origin to allowedOrigins if they should.",
  );

/** Pages call only from the host itself and from listed origins. No Origin is fine: that is no page, or no call. */
const refuseOrigin = (
  headers: IncomingHttpHeaders,
  allowed: ReadonlySet<string>,
): HttpRefusal | undefined => {
  const { origin } = headers;
  if (origin !== undefined) {
    const host = headers.host?.toLowerCase();
    const isOwn = origin === `http://${host}` || origin === `https://${host}`;
    return isOwn || allowed.has(origin) ? undefined : forbidden();
  }
  // Browsers leave Origin out of some requests of foreign pages, but say what kind of page it was.
  const site = headers["sec-fetch-site"];
  const isForeign = site === "cross-site" || site === "same-site";
  return isForeign && headers["sec-fetch-mode"] !== "navigate" ? forbidden() : undefined;
};
