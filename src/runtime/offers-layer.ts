import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Tools } from "../call/tools-service.ts";
import { opennessBy } from "../catalog/offer/available.ts";
import type { Offer } from "../catalog/offer/offer.ts";
import { offers } from "../catalog/offer/offers.ts";
import { Registry, type ToolRegistry } from "../catalog/registry.ts";
import type { Format } from "../dialects/formats.ts";
import { Policy } from "../policy/engine.ts";
import { CurrentCall } from "../words/call.ts";
import { ConfigurationError } from "../words/errors.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import { budgetedOffering } from "./budgeted-offering.ts";
import type { AnyOptions } from "./live.ts";
import { checkBudget, type Offering, toOffering } from "./offering.ts";

/** What a model may be shown, as an Effect: what `haft.offer` does. */
export interface OffersService {
  /** The tools of the fiber's principal, or of the one that is named, as a vendor spells them; `openai` unless named. */
  readonly offer: <F extends Format = "openai">(options?: {
    readonly format?: F;
    readonly principal?: Principal;
    /** How many tokens the definitions may have together; all are offered unless set. */
    readonly maxTokens?: number;
    /** Takes the tools that fit this question first. */
    readonly query?: string;
  }) => Effect.Effect<Offering<F>, ConfigurationError>;
}

/** The service that exports tools in the format of a vendor. */
export class Offers extends Context.Service<Offers, OffersService>()("haft/Offers") {}

/** Offers of the registry's tools, less what policy hides and what a layer has closed. */
export const offersLayer = (
  options: Pick<AnyOptions, "principal" | "layers"> = {},
): Layer.Layer<Offers, never, Registry | Policy | Tools> =>
  Layer.effect(
    Offers,
    Effect.gen(function* () {
      const isAvailable = opennessBy(options.layers ?? []);
      const registry = yield* Registry;
      const { isOwn } = yield* Tools;
      const all = offers({
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
            const inside = yield* CurrentCall;
            const ofCall = inside !== undefined && isOwn(inside) ? inside.principal : undefined;
            const caller = principal ?? ofCall ?? (yield* CurrentPrincipal) ?? options.principal;
            const now = yield* Clock.currentTimeMillis;
            yield* Effect.try({ try: () => checkBudget(maxTokens, query), catch: toConfigurationError });
            const offer = all.to(caller, now);
            const first = query === undefined ? [] : yield* fitting(registry, offer, query);
            return yield* Effect.try({
              try: () =>
                maxTokens === undefined
                  ? toOffering(offer, format)
                  : budgetedOffering(offer, format, maxTokens, first),
              catch: toConfigurationError,
            });
          }),
      };
    }),
  );

/** The names of tools that fit a question, best first. What searches is loaded when it is first asked. */
export const fitting = (
  registry: ToolRegistry,
  offer: Offer,
  query: string,
): Effect.Effect<readonly string[]> =>
  Effect.map(
    Effect.promise(() => import("./search-offer.ts")),
    ({ searchOffer }) => {
      // Whoever stands further down fits no better than by name.
      const limits = { maxCandidates: 500, minScore: 0 };
      return searchOffer(registry, offer, query, limits).tools.map(({ name }) => name);
    },
  );

const toConfigurationError = (error: unknown): ConfigurationError =>
  error instanceof ConfigurationError
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
