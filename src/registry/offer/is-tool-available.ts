import type { AnyLayer } from "../../types/layer.ts";
import type { Registration } from "../../types/tool.ts";

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
