import { hashJson } from "../../base/json/canonical-json.ts";
import type { PolicyEngine } from "../../policy/engine.ts";
import type { Principal } from "../../types/principal.ts";
import type { AnyLayer, Registration, ToolSpec } from "../../types/tool.ts";
import type { ToolRegistry } from "../tool-registry.ts";

/** The tools that one principal's model sees in one turn. Immutable. */
export interface Offer {
  readonly principal: Principal | undefined;
  /** The registry's version when the offer was made. */
  readonly version: number;
  /** By full name in code unit order, so that equal tools give equal prompts. */
  readonly registrations: readonly Registration[];
  /** The specs in the same order, under their wire names. */
  readonly specs: readonly ToolSpec[];
  readonly byWireName: ReadonlyMap<string, Registration>;
  /** Depends on the specs only. */
  readonly hash: string;
}

export type IsAvailable = (registration: Registration, now: number) => boolean;

/** A layer that throws makes the tool unavailable. */
export const isToolAvailable = (
  registration: Registration,
  now: number,
  isAvailable?: IsAvailable,
): boolean => {
  try {
    if (isAvailable?.(registration, now) === false) return false;
    for (const layer of registration.tool.layers) {
      if (layer.isAvailable?.(registration.key, now) === false) return false;
    }
    return true;
  } catch {
    return false;
  }
};

export const hasAvailabilityCheck = ({ tool }: Registration): boolean =>
  tool.layers.some((layer) => layer.isAvailable !== undefined);

/** Undefined if no layer has a check, because it is called often. */
export const availabilityOf = (layers: readonly AnyLayer[]): IsAvailable | undefined => {
  const closing = layers.filter((layer) => layer.isAvailable !== undefined);
  if (closing.length === 0) return undefined;
  return ({ key }, now) => closing.every((layer) => layer.isAvailable?.(key, now) !== false);
};

export interface OfferSource {
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
  readonly isAvailable?: IsAvailable;
}

export const visibleTools = (
  { registry, policy }: OfferSource,
  principal: Principal | undefined,
): readonly Registration[] => {
  if (principal === undefined) return [];
  return registry
    .ordered()
    .filter((registration) => policy.visible(principal, registration).effect !== "deny");
};

export const toOffer = (
  principal: Principal | undefined,
  version: number,
  registrations: readonly Registration[],
): Offer => {
  let specs: readonly ToolSpec[] | undefined;
  let byWireName: ReadonlyMap<string, Registration> | undefined;
  let hash: string | undefined;
  return Object.freeze({
    principal,
    version,
    registrations: Object.freeze(registrations),
    get specs() {
      specs ??= Object.freeze(registrations.map(toOfferedSpec));
      return specs;
    },
    get byWireName() {
      byWireName ??= new Map(registrations.map((one) => [one.wireName, one]));
      return byWireName;
    },
    get hash() {
      hash ??= hashJson(this.specs.map(hashSpec));
      return hash;
    },
  });
};

const offeredSpecs = new WeakMap<Registration, ToolSpec>();
const specHashes = new WeakMap<ToolSpec, string>();

/** One object per registration, so that caches by spec work. */
export const toOfferedSpec = (registration: Registration): ToolSpec => {
  const { wireName, tool } = registration;
  if (wireName === tool.spec.name) return tool.spec;
  const before = offeredSpecs.get(registration);
  if (before !== undefined) return before;
  const spec = Object.freeze({ ...tool.spec, name: wireName });
  offeredSpecs.set(registration, spec);
  return spec;
};

const hashSpec = (spec: ToolSpec): string => {
  const before = specHashes.get(spec);
  if (before !== undefined) return before;
  const hash = hashJson(spec);
  specHashes.set(spec, hash);
  return hash;
};
