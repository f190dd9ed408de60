import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import { canClose, isOnOffer } from "./available.ts";
import { type Offer, type OfferSource, toOffer, visibleTo } from "./offer.ts";
import { isSettled, toPrincipalKey } from "./principal-key.ts";

export interface Offers {
  /** The offer of now. The same object as last time unless a tool came, went, opened or closed. */
  readonly to: (principal: Principal | undefined, now: number) => Offer;
  /** Whether one tool would be in it, without making one: what it costs hangs on nothing else. */
  readonly has: (principal: Principal | undefined, wireName: string, key: string, now: number) => boolean;
}

interface CachedOffer {
  readonly offer: Offer;
  readonly visible: readonly Registration[];
  /** The only tools whose state must be looked at again. */
  readonly gates: readonly Registration[];
  readonly states: readonly boolean[];
}

const withoutClosed = (
  visible: readonly Registration[],
  gates: readonly Registration[],
  states: readonly boolean[],
): readonly Registration[] => {
  const closed = new Set(gates.filter((_, index) => states[index] === false));
  return visible.filter((registration) => !closed.has(registration));
};

/** Remembers offers per principal. A policy says the same every time, so it is asked once per version. */
export const offers = (source: OfferSource, maxKept = 1_000): Offers => {
  const { registry, isAvailable } = source;
  const byIdentity = new WeakMap<Principal, CachedOffer>();
  const byKey = new Map<string, CachedOffer>();
  let nobody = toOffer(undefined, registry.version, []);

  const refresh = (kept: CachedOffer | undefined, principal: Principal, now: number): CachedOffer => {
    const isFresh = kept?.offer.version === registry.version;
    if (
      isFresh &&
      kept.gates.every((gate, index) => isOnOffer(gate, now, isAvailable) === kept.states[index])
    ) {
      return kept;
    }
    const visible = isFresh ? kept.visible : visibleTo(source, principal);
    const gates = isAvailable === undefined ? visible.filter(canClose) : visible;
    const states = gates.map((gate) => isOnOffer(gate, now, isAvailable));
    const open = states.includes(false) ? withoutClosed(visible, gates, states) : visible;
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
    if (nobody.version !== registry.version) nobody = toOffer(undefined, registry.version, []);
    return nobody;
  };

  /** What policy said of tools that were asked for one by one, by caller and version. */
  const asked = new WeakMap<
    Principal,
    { readonly version: number; readonly visible: Map<string, boolean> }
  >();
  const isVisible = (principal: Principal, registration: Registration): boolean => {
    let said = isSettled(principal) ? asked.get(principal) : undefined;
    if (said?.version !== registry.version) {
      said = { version: registry.version, visible: new Map() };
      asked.set(principal, said);
    }
    const before = said.visible.get(registration.key);
    if (before !== undefined) return before;
    const visible = source.policy.visible(principal, registration).effect !== "deny";
    said.visible.set(registration.key, visible);
    return visible;
  };

  return Object.freeze({
    has: (principal, wireName, key, now) => {
      const registration = principal === undefined ? undefined : registry.get(wireName);
      if (principal === undefined || registration?.key !== key) return false;
      return isVisible(principal, registration) && isOnOffer(registration, now, isAvailable);
    },
    to: (principal, now) => {
      if (principal === undefined) return toNobody();
      if (!isSettled(principal)) return refreshByKey(principal, now).offer;
      const before = byIdentity.get(principal);
      const kept = before === undefined ? refreshByKey(principal, now) : refresh(before, principal, now);
      if (kept !== before) byIdentity.set(principal, kept);
      return kept.offer;
    },
  } satisfies Offers);
};
