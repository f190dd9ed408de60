import type { IncomingMessage } from "node:http";
import type { InboundToken } from "../../base/credentials/token.ts";
import type { Principal } from "../../types/principal.ts";
import { HttpError, type ReportError, retryAfter } from "../request/http-error.ts";
import { type HeldSlot, type RequestKind, type RequestSlots, slotOwnerOf } from "../request/request-slots.ts";
import type { Router } from "../request/serve-request.ts";
import { type BearerChallenge, invalidTokenError, readBearer } from "./auth/bearer.ts";
import type { AuthenticatedCaller } from "./auth/host-auth.ts";
import { metadataUrl } from "./auth/jwt-options.ts";
import type { SwappableAuth } from "./auth/swappable-auth.ts";
import { checkQuery } from "./check-incoming.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostSettings } from "./host-settings.ts";
import type { LongLivedCallers } from "./long-lived-callers.ts";
import type { Throttle } from "./throttle.ts";

export interface HostRoute {
  readonly kind: "mcp" | "metadata" | "healthz" | "readyz" | "routes" | "preflight";
  readonly method: string;
  readonly path: string;
}

/** What the requests, sockets and messages of a host share. */
export interface HostState {
  readonly options: HostOptions;
  readonly settings: HostSettings;
  readonly authenticator: SwappableAuth;
  readonly throttle: Throttle;
  readonly slots: RequestSlots;
  /** Open sockets and streams, which end with their token. */
  readonly longLivedCallers: LongLivedCallers;
  readonly onError: ReportError;
  /** These change with the endpoint's public URL. */
  allowedHosts: ReadonlySet<string>;
  findRoute: Router<HostRoute>;
  isDraining: boolean;
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

/** Does not count failures. */
export const identifyCaller = async (
  { authenticator }: Pick<HostState, "authenticator">,
  { token }: CallerCredentials,
): Promise<AuthenticatedCaller> => {
  if (token !== "malformed") return authenticator.identify(token);
  const { metadata } = authenticator;
  const challenge: BearerChallenge =
    metadata === undefined ? {} : { metadataUrl: metadataUrl(metadata.resource) };
  throw invalidTokenError(challenge, "The token has invalid characters or an invalid length.");
};

/** Every transport calls this for every message. */
export const authenticateCaller = async (
  host: HostState,
  credentials: CallerCredentials,
): Promise<AuthenticatedCaller> => {
  checkNotDraining(host);
  checkQuery(credentials.target);
  host.throttle.checkAddress(credentials.address);
  try {
    return await identifyCaller(host, credentials);
  } catch (error) {
    if (error instanceof HttpError && error.status === 401) host.throttle.countFailure(credentials.address);
    throw error;
  }
};

/** Only used for limits. */
export const anonymousPrincipal: Principal = Object.freeze({ agent: "nobody" });

/** For paths with their own authentication. A token, if sent, must be valid. */
export const authenticateOptional = async (
  host: HostState,
  credentials: CallerCredentials,
): Promise<AuthenticatedCaller> => {
  if (credentials.token !== undefined) return authenticateCaller(host, credentials);
  checkNotDraining(host);
  return { principal: anonymousPrincipal };
};

const checkNotDraining = ({ isDraining }: HostState): void => {
  if (!isDraining) return;
  throw new HttpError(503, "draining", "This host is shutting down. Try again in a moment.", {
    headers: { ...retryAfter(1_000), connection: "close" },
  });
};

/** With auth, no caller can use all slots. */
const maxPerCaller = ({ options, settings }: HostState): number =>
  options.auth.kind === "none" ? settings.maxConcurrent : Math.ceil(settings.maxConcurrent * 0.75);

export const hasFreeSlot = (host: HostState, principal: Principal, kind: RequestKind): boolean =>
  host.slots.all(kind) < host.settings.maxConcurrent &&
  host.slots.of(slotOwnerOf(principal), kind) < maxPerCaller(host);

export const beginSlot = (host: HostState, principal: Principal, kind: RequestKind): HeldSlot => {
  if (hasFreeSlot(host, principal, kind)) return host.slots.begin(slotOwnerOf(principal), kind);
  throw new HttpError(
    503,
    "too_many_at_once",
    "Too many concurrent requests. Wait until some have finished, or raise maxConcurrent.",
    { headers: retryAfter(1_000) },
  );
};

export interface SlotRequest {
  readonly kind: RequestKind;
  /** Exempt from the rate limit. */
  readonly isAwaited?: boolean;
}

export const takeSlot = (
  host: HostState,
  principal: Principal,
  { kind, isAwaited = false }: SlotRequest,
): HeldSlot => {
  // Awaited messages are counted too.
  const excess = host.throttle.countRequest(principal);
  if (excess !== undefined && !isAwaited) throw excess;
  return beginSlot(host, principal, kind);
};
