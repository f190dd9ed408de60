import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { Format } from "../models/dialects/formats.ts";
import { Tools } from "../pipeline/tools-service.ts";
import { Policy } from "../policy/engine.ts";
import { availabilityOf, type Offer } from "../registry/offer/offer.ts";
import { offerCache } from "../registry/offer/offer-cache.ts";
import { Registry, type ToolRegistry } from "../registry/tool-registry.ts";
import { CurrentCall } from "../types/call.ts";
import { ConfigurationError } from "../types/errors.ts";
import { CurrentPrincipal, type Principal } from "../types/principal.ts";
import { checkOfferBudget, type FormattedOffer, fitOfferToBudget, formatOffer } from "./formatted-offer.ts";
import type { AnyHaftOptions } from "./tool-runtime-layer.ts";

/** Exports tools as an Effect, like `haft.offer`. */
export interface OffersService {
  /** Returns the principal's tools in a vendor's format. Unless set: `openai`, and the fiber's principal. */
  readonly offer: <F extends Format = "openai">(options?: {
    readonly format?: F;
    readonly principal?: Principal;
    /** Maximum tokens of all definitions. Unless set: unlimited. */
    readonly maxTokens?: number;
    /** Tools that match this query are selected first. */
    readonly query?: string;
  }) => Effect.Effect<FormattedOffer<F>, ConfigurationError>;
}

/** The service that exports tools in a vendor's format. */
export class Offers extends Context.Service<Offers, OffersService>()("haft/Offers") {}

/** Offers of the registry's tools that policy shows and layers keep available. */
export const offersLayer = (
  options: Pick<AnyHaftOptions, "principal" | "layers"> = {},
): Layer.Layer<Offers, never, Registry | Policy | Tools> =>
  Layer.effect(
    Offers,
    Effect.gen(function* () {
      const isAvailable = availabilityOf(options.layers ?? []);
      const registry = yield* Registry;
      const { isOwn } = yield* Tools;
      const cache = offerCache({
        registry,
        policy: yield* Policy,
        ...(isAvailable === undefined ? {} : { isAvailable }),
      });
      return {
        offer: <F extends Format = "openai">({
          format = "openai" as F,
          principal,
          maxTokens,
          query,
        }: Parameters<OffersService["offer"]>[0] & { readonly format?: F } = {}) =>
          Effect.gen(function* () {
            const currentCall = yield* CurrentCall;
            const callPrincipal =
              currentCall !== undefined && isOwn(currentCall) ? currentCall.principal : undefined;
            const caller = principal ?? callPrincipal ?? (yield* CurrentPrincipal) ?? options.principal;
            const now = yield* Clock.currentTimeMillis;
            yield* Effect.try({ try: () => checkOfferBudget(maxTokens, query), catch: toConfigurationError });
            const offer = cache.get(caller, now);
            const first = query === undefined ? [] : yield* rankToolNames(registry, offer, query);
            return yield* Effect.try({
              try: () =>
                maxTokens === undefined
                  ? formatOffer(offer, format)
                  : fitOfferToBudget(offer, format, maxTokens, first),
              catch: toConfigurationError,
            });
          }),
      };
    }),
  );

export const rankToolNames = (
  registry: ToolRegistry,
  offer: Offer,
  query: string,
): Effect.Effect<readonly string[]> =>
  Effect.map(
    Effect.promise(() => import("./search-offer.ts")),
    ({ searchOffer }) => {
      // Lower ranks are ordered by name only.
      const limits = { maxCandidates: 500, minScore: 0 };
      return searchOffer(registry, offer, query, limits).tools.map(({ name }) => name);
    },
  );

const toConfigurationError = (error: unknown): ConfigurationError =>
  error instanceof ConfigurationError
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
