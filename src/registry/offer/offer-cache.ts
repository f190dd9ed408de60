import type { Principal } from "../../types/principal.ts";
import type { Registration } from "../../types/tool.ts";
import {
  hasAvailabilityCheck,
  isToolAvailable,
  type Offer,
  type OfferSource,
  toOffer,
  visibleTools,
} from "./offer.ts";

export interface OfferCache {
  /** Returns the same object until a tool is added, removed or changes its availability. */
  readonly get: (principal: Principal | undefined, now: number) => Offer;
  readonly checkOffered: (principal: Principal | undefined, now: number) => IsOffered;
}

export type IsOffered = (wireName: string, key: string) => boolean;

interface CachedOffer {
  readonly offer: Offer;
  readonly visible: readonly Registration[];
  readonly gates: readonly Registration[];
  readonly states: readonly boolean[];
}

interface VisibilityCache {
  readonly version: number;
  readonly visible: Map<string, Registration | undefined>;
}

const withoutUnavailable = (
  visible: readonly Registration[],
  gates: readonly Registration[],
  states: readonly boolean[],
): readonly Registration[] => {
  const closed = new Set(gates.filter((_, index) => states[index] === false));
  return visible.filter((registration) => !closed.has(registration));
};

/** Decisions of a policy are stable, so it is evaluated once per principal and registry version. */
export const offerCache = (source: OfferSource, maxKept = 1_000): OfferCache => {
  const { registry, isAvailable } = source;
  const byIdentity = new WeakMap<Principal, CachedOffer>();
  const byKey = new Map<string, CachedOffer>();
  let emptyOffer = toOffer(undefined, registry.version, []);

  const refresh = (kept: CachedOffer | undefined, principal: Principal, now: number): CachedOffer => {
    const isFresh = kept?.offer.version === registry.version;
    if (
      isFresh &&
      kept.gates.every((gate, index) => isToolAvailable(gate, now, isAvailable) === kept.states[index])
    ) {
      return kept;
    }
    const visible = isFresh ? kept.visible : visibleTools(source, principal);
    const gates = isAvailable === undefined ? visible.filter(hasAvailabilityCheck) : visible;
    const states = gates.map((gate) => isToolAvailable(gate, now, isAvailable));
    const open = states.includes(false) ? withoutUnavailable(visible, gates, states) : visible;
    return { offer: toOffer(principal, registry.version, open), visible, gates, states };
  };

  const refreshByKey = (principal: Principal, now: number): CachedOffer => {
    const key = toPrincipalKey(principal);
    if (key === undefined) return refresh(undefined, principal, now);
    const kept = refresh(byKey.get(key), principal, now);
    byKey.delete(key);
    byKey.set(key, kept);
    if (byKey.size > maxKept) byKey.delete(byKey.keys().next().value as string);
    return kept;
  };

  const toNobody = (): Offer => {
    if (emptyOffer.version !== registry.version) emptyOffer = toOffer(undefined, registry.version, []);
    return emptyOffer;
  };

  const visibilityByPrincipal = new WeakMap<Principal, VisibilityCache>();
  const askedBy = (principal: Principal): VisibilityCache["visible"] => {
    const { version } = registry;
    const before = isImmutable(principal) ? visibilityByPrincipal.get(principal) : undefined;
    if (before?.version === version) return before.visible;
    const visible: VisibilityCache["visible"] = new Map();
    visibilityByPrincipal.set(principal, { version, visible });
    return visible;
  };
  const lookUp = (principal: Principal, wireName: string, key: string): Registration | undefined => {
    const registration = registry.get(wireName);
    if (registration?.key !== key) return undefined;
    return source.policy.visible(principal, registration).effect === "deny" ? undefined : registration;
  };

  return Object.freeze({
    checkOffered: (principal, now) => {
      if (principal === undefined) return () => false;
      const visible = askedBy(principal);
      return (wireName, key) => {
        let registration = visible.get(key);
        if (registration === undefined && !visible.has(key)) {
          registration = lookUp(principal, wireName, key);
          visible.set(key, registration);
        }
        return registration?.wireName === wireName && isToolAvailable(registration, now, isAvailable);
      };
    },
    get: (principal, now) => {
      if (principal === undefined) return toNobody();
      if (!isImmutable(principal)) return refreshByKey(principal, now).offer;
      const before = byIdentity.get(principal);
      const kept = before === undefined ? refreshByKey(principal, now) : refresh(before, principal, now);
      if (kept !== before) byIdentity.set(principal, kept);
      return kept.offer;
    },
  } satisfies OfferCache);
};

const principalFields: readonly (keyof Principal)[] = [
  "agent",
  "session",
  "user",
  "tenant",
  "allow",
  "deny",
  "toolkits",
  "roles",
];
const knownFields: ReadonlySet<string> = new Set(principalFields);

const toPrincipalKey = (principal: Principal): string | undefined =>
  Object.keys(principal).every((key) => knownFields.has(key))
    ? JSON.stringify(principalFields.map((field) => principal[field] ?? null))
    : undefined;

/** An immutable principal is cached by identity. */
const isImmutable = (principal: Principal): boolean =>
  Object.isFrozen(principal) &&
  Object.values(principal).every((value) => typeof value !== "object" || Object.isFrozen(value));
