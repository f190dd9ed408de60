import type { Offer } from "../catalog/offer/offer.ts";
import type { Loss } from "../dialects/export.ts";
import { type Format, formats } from "../dialects/formats.ts";
import type { OfferedTool } from "../dialects/listed.ts";
import { ConfigurationError } from "../words/errors.ts";

/** An offer in the words of one vendor. */
export interface Offering<F extends Format = Format> {
  readonly format: F;
  /** As a request takes them. */
  readonly tools: ReturnType<(typeof formats)[F]>["tools"];
  /** What the format leaves out or says in another way. */
  readonly report: readonly Loss[];
  /** Pass it to `turn` with the calls that come back: only what was shown can be called. */
  readonly offer: Offer;
}

const listed = new WeakMap<Offer, readonly OfferedTool[]>();

export const toOffering = <F extends Format>(offer: Offer, format: F): Offering<F> => {
  if (!Object.hasOwn(formats, format)) {
    throw new ConfigurationError(
      "invalid_config",
      `There is no format "${format}". The formats are ${Object.keys(formats).join(", ")}.`,
    );
  }
  let list = listed.get(offer);
  if (list === undefined) {
    const { registrations, specs } = offer;
    list = Object.freeze(registrations.map(({ wireName }, index) => ({ wireName, spec: specs[index]! })));
    listed.set(offer, list);
  }
  return { ...(formats[format](list) as Pick<Offering<F>, "tools" | "report">), format, offer };
};
