import type { Export } from "../dialects/export.ts";
import { type Format, formats } from "../dialects/formats.ts";
import type { Listed } from "../dialects/listed.ts";
import type { Offer } from "../offer/offer.ts";

/** An offer in the words of one vendor. */
export interface Offering extends Export<unknown> {
  readonly format: Format;
  /** Pass it to `turn` with the calls that come back: only what was shown can be called. */
  readonly offer: Offer;
}

const listed = new WeakMap<Offer, readonly Listed[]>();

export const toOffering = (offer: Offer, format: Format): Offering => {
  let list = listed.get(offer);
  if (list === undefined) {
    const { registrations, specs } = offer;
    list = Object.freeze(registrations.map(({ wireName }, index) => ({ wireName, spec: specs[index]! })));
    listed.set(offer, list);
  }
  return { ...formats[format](list), format, offer };
};
