import type { AnyLayer } from "../../types/layer.ts";
import type { Registration } from "../../types/tool.ts";

export type IsAvailable = (registration: Registration, now: number) => boolean;

/** Whether the tool would answer now. One layer that says no is enough, and so is one that breaks. */
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

/** Whether the answer can change from one turn to the next. */
export const hasAvailabilityCheck = ({ tool }: Registration): boolean =>
  tool.layers.some((layer) => layer.isAvailable !== undefined);

/** What an operator's layers say of every tool; nothing where none of them can close one, since it is asked often. */
export const availabilityOf = (layers: readonly AnyLayer[]): IsAvailable | undefined => {
  const closing = layers.filter((layer) => layer.isAvailable !== undefined);
  if (closing.length === 0) return undefined;
  return ({ key }, now) => closing.every((layer) => layer.isAvailable?.(key, now) !== false);
};
