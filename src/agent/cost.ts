import { ConfigurationError } from "../types/errors.ts";
import type { Usage } from "../types/model.ts";

/** Price per million tokens. */
export interface TokenPrice {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

/** A price per million tokens, or a function that returns the cost of a usage. Any currency. */
export type Price = TokenPrice | ((usage: Usage) => number);

/** Returns undefined if the cost is unknown. */
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
      "`price` must be { inputPerMillion, outputPerMillion }, both numbers of at least 0, or a function of the usage.",
    );
  }
  return ({ inputTokens, outputTokens }) =>
    finiteCost((inputTokens * inputPerMillion! + outputTokens * outputPerMillion!) / 1_000_000);
};

const finiteCost = (cost: unknown): number | undefined =>
  typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
