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

/** What every request needs to know of the host it came to. */
export interface HostServices {
  readonly options: HostOptions;
  readonly settings: HostSettings;
  readonly gate: RequestGuard;
  readonly flights: RequestsInFlight;
  /** Callers whose connection or stream stays open, and must end with their token. */
  readonly standing: LongLivedCallers;
  /** Why the issuer's keys cannot be read at the moment. */
  readonly keysProblem: () => KeySetProblem | undefined;
  readonly metadata: ResourceMetadata | undefined;
  /** What later rooms mounted, if they did. */
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

/** Where callers are told apart, none of them takes the last places from the others. */
const maxPerCaller = ({ options, settings }: HostServices): number =>
  options.auth.kind === "none" ? settings.maxConcurrent : Math.ceil(settings.maxConcurrent * 0.75);

/** Calls, what stays open, and messages that start nothing have as many places each, so that none waits for another. */
export const concurrencyRejection = (
  services: HostServices,
  principal: Principal,
  kind: MessageKind,
): HttpRejection | undefined =>
  services.flights.all(kind) < services.settings.maxConcurrent &&
  services.flights.of(rateLimitKeyOf(principal), kind) < maxPerCaller(services)
    ? undefined
    : httpRejection(
        503,
        "too_many_at_once",
        "Too many requests are in flight. Wait for some to end, or raise maxConcurrent.",
        retryAfterHeader(1_000),
      );

/** Who is calling, where the host is not closing. Every transport asks this for every message. */
export const authenticateCaller = async (
  services: HostServices,
  proof: CallerCredentials,
): Promise<AuthenticatedCaller | HttpRejection> => drainingRejection(services) ?? services.gate.caller(proof);

/** Under which limits stands who shows no token where none is needed. Nothing is called in this name. */
export const anonymousPrincipal: Principal = Object.freeze({ agent: "nobody" });

/** The same of a path that finds out by itself who is calling. A token that is shown must still be a good one. */
export const authenticateOptional = async (
  services: HostServices,
  proof: CallerCredentials,
): Promise<AuthenticatedCaller | HttpRejection> =>
  proof.token === undefined
    ? (drainingRejection(services) ?? { principal: anonymousPrincipal })
    : authenticateCaller(services, proof);

/** What is known of a message that is to be let in. */
export interface SlotRequest {
  readonly kind: MessageKind;
  /** It ends something that is open, so a caller that is over its rate may send it too. */
  readonly isAwaited?: boolean;
}

/** One more message of a caller: it is within its rate, and there is room. A refusal says which is not so. */
export const acquireSlot = (
  services: HostServices,
  principal: Principal,
  { kind, isAwaited = false }: SlotRequest,
): RequestSlot | HttpRejection => {
  const refused = services.gate.count(principal);
  if (refused !== undefined && !isAwaited) return refused;
  return (
    concurrencyRejection(services, principal, kind) ?? services.flights.begin(rateLimitKeyOf(principal), kind)
  );
};

/** A refused message may be one that starts nothing, which can be told only once it is read. */
export const isLimitRejection = ({ status, error }: HttpRejection): boolean =>
  status === 429 || error === "too_many_at_once";

export const internalErrorRejection = (): HttpRejection =>
  httpRejection(500, "internal_error", "Something broke inside this host; its operator can see what.");
