import { ConfigurationError } from "../types/errors.ts";
import type { Usage } from "../types/model.ts";

/** What a model costs, by a million tokens. One of the forms of a `Price`. */
export interface TokenPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** What a million tokens cost, in any currency; or the cost of all that was used. */
export type Price = TokenPrice | ((usage: Usage) => number);

/** `undefined` where the cost cannot be told. */
export type CostFunction = (usage: Usage) => number | undefined;

export const toCostFunction = (price: Price): CostFunction => {
  if (typeof price === "function") {
    return (usage) => {
      try {
        return finiteCost(price(usage));
      } catch {
        return undefined;
      }
    };
  }
  const { inputPerMillion, outputPerMillion } = Object(price) as Partial<TokenPrice>;
  if (!(finiteCost(inputPerMillion) !== undefined && finiteCost(outputPerMillion) !== undefined)) {
    throw new ConfigurationError(
      "invalid_config",
      "`price` is { inputPerMillion, outputPerMillion }, both numbers of at least 0, or a function of the usage.",
    );
  }
  return ({ inputTokens, outputTokens }) =>
    finiteCost((inputTokens * inputPerMillion! + outputTokens * outputPerMillion!) / 1_000_000);
};

const finiteCost = (cost: unknown): number | undefined =>
  typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
