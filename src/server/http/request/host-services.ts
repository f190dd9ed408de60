import type { Principal } from "../../../types/principal.ts";
import type { MessageKind } from "../../gateway/wire/message-kind.ts";
import type { AuthenticatedCaller, KeySetProblem, ResourceMetadata } from "../auth/host-auth.ts";
import type { HostOptions } from "../host-options.ts";
import type { HostSettings } from "../host-settings.ts";
import { type HttpRejection, httpRejection, retryAfterHeader } from "../http-rejection.ts";
import type { LongLivedCallers } from "../lifecycle/long-lived-callers.ts";
import type { RequestSlot, RequestsInFlight } from "../lifecycle/requests-in-flight.ts";
import { rateLimitKeyOf } from "../limits/rate-limit-key.ts";
import type { CallerCredentials, RequestGuard } from "../request-guard.ts";

export interface HostServices {
  readonly options: HostOptions;
  readonly settings: HostSettings;
  readonly guard: RequestGuard;
  readonly requestsInFlight: RequestsInFlight;
  /** Open sockets and streams, which end with their token. */
  readonly longLivedCallers: LongLivedCallers;
  readonly keysProblem: () => KeySetProblem | undefined;
  readonly metadata: ResourceMetadata | undefined;
  readonly app: ((request: Request, principal: Principal | undefined) => Promise<Response>) | undefined;
  readonly isDraining: () => boolean;
  readonly onError: (error: unknown) => void;
}

const drainingRejection = ({ isDraining }: HostServices): HttpRejection | undefined =>
  isDraining()
    ? httpRejection(503, "draining", "This host is shutting down. Try again in a moment.", {
        ...retryAfterHeader(1_000),
        connection: "close",
      })
    : undefined;

/** With auth, no caller can use all slots. */
const maxPerCaller = ({ options, settings }: HostServices): number =>
  options.auth.kind === "none" ? settings.maxConcurrent : Math.ceil(settings.maxConcurrent * 0.75);

/** Separate limits, so that no kind blocks another. */
export const concurrencyRejection = (
  services: HostServices,
  principal: Principal,
  kind: MessageKind,
): HttpRejection | undefined =>
  services.requestsInFlight.all(kind) < services.settings.maxConcurrent &&
  services.requestsInFlight.of(rateLimitKeyOf(principal), kind) < maxPerCaller(services)
    ? undefined
    : httpRejection(
        503,
        "too_many_at_once",
        "Too many concurrent requests. Wait until some have finished, or raise maxConcurrent.",
        retryAfterHeader(1_000),
      );

/** Every transport calls this for every message. */
export const authenticateCaller = async (
  services: HostServices,
  proof: CallerCredentials,
): Promise<AuthenticatedCaller | HttpRejection> =>
  drainingRejection(services) ?? services.guard.caller(proof);

/** Only used for limits. */
export const anonymousPrincipal: Principal = Object.freeze({ agent: "nobody" });

/** For paths with their own authentication. A token, if sent, must be valid. */
export const authenticateOptional = async (
  services: HostServices,
  proof: CallerCredentials,
): Promise<AuthenticatedCaller | HttpRejection> =>
  proof.token === undefined
    ? (drainingRejection(services) ?? { principal: anonymousPrincipal })
    : authenticateCaller(services, proof);

export interface SlotRequest {
  readonly kind: MessageKind;
  /** Exempt from the rate limit. */
  readonly isAwaited?: boolean;
}

export const acquireSlot = (
  services: HostServices,
  principal: Principal,
  { kind, isAwaited = false }: SlotRequest,
): RequestSlot | HttpRejection => {
  const refused = services.guard.count(principal);
  if (refused !== undefined && !isAwaited) return refused;
  return (
    concurrencyRejection(services, principal, kind) ??
    services.requestsInFlight.begin(rateLimitKeyOf(principal), kind)
  );
};

/** Control messages may still be admitted. */
export const isLimitRejection = ({ status, error }: HttpRejection): boolean =>
  status === 429 || error === "too_many_at_once";

export const internalErrorRejection = (): HttpRejection =>
  httpRejection(
    500,
    "internal_error",
    "Internal error. The operator of this host can find the cause in its log.",
  );
