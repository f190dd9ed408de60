import type { MessageKind } from "../../gateway/wire/message-kind.ts";
import type { Principal } from "../../words/principal.ts";
import type { Identified, KeysProblem, ResourceMetadata } from "../auth/host-auth.ts";
import type { Gate, Proof } from "../gate.ts";
import type { HostOptions } from "../host-options.ts";
import type { Place, RequestsInFlight } from "../life/requests-in-flight.ts";
import type { StandingCallers } from "../life/standing-callers.ts";
import { callerKey } from "../limits/caller-key.ts";
import { type HttpRefusal, refusal, retryAfter } from "../refusal.ts";
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
  readonly app: ((request: Request, principal: Principal | undefined) => Promise<Response>) | undefined;
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

/** Calls, what stays open, and messages that start nothing have as many places each, so that none waits for another. */
export const refuseCrowd = (
  services: HostServices,
  principal: Principal,
  kind: MessageKind,
): HttpRefusal | undefined =>
  services.flights.all(kind) < services.settings.maxConcurrent &&
  services.flights.of(callerKey(principal), kind) < mostOf(services)
    ? undefined
    : refusal(
        503,
        "too_many_at_once",
        "Too many requests are in flight. Wait for some to end, or raise maxConcurrent.",
        retryAfter(1_000),
      );

/** Who is calling, where the host is not closing. Every transport asks this for every message. */
export const identify = async (services: HostServices, proof: Proof): Promise<Identified | HttpRefusal> =>
  refuseDraining(services) ?? services.gate.caller(proof);

/** Under which limits stands who shows no token where none is needed. Nothing is called in this name. */
export const nobody: Principal = Object.freeze({ agent: "nobody" });

/** The same of a path that finds out by itself who is calling. A token that is shown must still be a good one. */
export const identifyOpen = async (
  services: HostServices,
  proof: Proof,
): Promise<Identified | HttpRefusal> =>
  proof.token === undefined ? (refuseDraining(services) ?? { principal: nobody }) : identify(services, proof);

/** What is known of a message that is to be let in. */
export interface AskedPlace {
  readonly kind: MessageKind;
  /** It ends something that is open, so a caller that is over its rate may send it too. */
  readonly isAwaited?: boolean;
}

/** One more message of a caller: it is within its rate, and there is room. A refusal says which is not so. */
export const takePlace = (
  services: HostServices,
  principal: Principal,
  { kind, isAwaited = false }: AskedPlace,
): Place | HttpRefusal => {
  const refused = services.gate.count(principal);
  if (refused !== undefined && !isAwaited) return refused;
  return refuseCrowd(services, principal, kind) ?? services.flights.begin(callerKey(principal), kind);
};

/** A refused message may be one that starts nothing, which can be told only once it is read. */
export const isLimit = ({ status, error }: HttpRefusal): boolean =>
  status === 429 || error === "too_many_at_once";

export const broken = (): HttpRefusal =>
  refusal(500, "internal_error", "Something broke inside this host; its operator can see what.");
