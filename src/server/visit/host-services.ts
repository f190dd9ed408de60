import type { Principal } from "../../words/principal.ts";
import type { Identified, KeysProblem, ResourceMetadata } from "../auth/host-auth.ts";
import type { Gate, Proof } from "../gate.ts";
import type { HostOptions } from "../host-options.ts";
import type { RequestsInFlight } from "../life/requests-in-flight.ts";
import type { StandingCallers } from "../life/standing-callers.ts";
import { callerKey } from "../limits/caller-key.ts";
import { type HttpRefusal, isRefusal, refusal, retryAfter } from "../refusal.ts";
import type { HostSettings } from "../settings.ts";

/** What every request needs to know of the host it came to. */
export interface HostServices {
  readonly options: HostOptions;
  readonly settings: HostSettings;
  readonly gate: Gate;
  readonly flights: RequestsInFlight;
  /** Callers whose connection or stream stays open, and must end with their token. */
  readonly standing: StandingCallers;
  /** Why the issuer's keys cannot be read at the moment. */
  readonly keysProblem: () => KeysProblem | undefined;
  readonly metadata: ResourceMetadata | undefined;
  /** What later rooms mounted, if they did. */
  readonly app: ((request: Request, principal: Principal) => Promise<Response>) | undefined;
  readonly isDraining: () => boolean;
  readonly onError: (error: unknown) => void;
}

const refuseDraining = ({ isDraining }: HostServices): HttpRefusal | undefined =>
  isDraining()
    ? refusal(503, "draining", "This host is shutting down. Try again in a moment.", {
        ...retryAfter(1_000),
        connection: "close",
      })
    : undefined;

/** Where callers are told apart, none of them takes the last places from the others. */
const mostOf = ({ options, settings }: HostServices): number =>
  options.auth.kind === "none" ? settings.maxConcurrent : Math.ceil(settings.maxConcurrent * 0.75);

export const refuseCrowd = (services: HostServices, principal: Principal): HttpRefusal | undefined =>
  services.flights.all() < services.settings.maxConcurrent &&
  services.flights.of(callerKey(principal)) < mostOf(services)
    ? undefined
    : refusal(
        503,
        "too_many_at_once",
        "Too many requests are in flight. Wait for some to end, or raise maxConcurrent.",
        retryAfter(1_000),
      );

/**
 * May one more message come in: the host is not closing, its caller is known and within its rate, and there is room.
 * Every transport asks this for every message.
 */
export const admit = async (
  services: HostServices,
  proof: Proof,
  note: (principal: Principal) => void = () => {},
): Promise<Identified | HttpRefusal> => {
  const draining = refuseDraining(services);
  if (draining !== undefined) return draining;
  const found = await services.gate.caller(proof);
  if (isRefusal(found)) return found;
  note(found.principal);
  return refuseCrowd(services, found.principal) ?? found;
};

export const broken = (): HttpRefusal =>
  refusal(500, "internal_error", "Something broke inside this host; its operator can see what.");
