import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Tools } from "../call/tools-service.ts";
import { opennessBy } from "../catalog/offer/available.ts";
import { offers } from "../catalog/offer/offers.ts";
import { Registry } from "../catalog/registry.ts";
import type { Format } from "../dialects/formats.ts";
import { Policy } from "../policy/engine.ts";
import { CurrentCall } from "../words/call.ts";
import { ConfigurationError } from "../words/errors.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import type { AnyOptions } from "./live.ts";
import { type Offering, refuseQuery, toOffering } from "./offering.ts";

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
            if (maxTokens !== undefined) {
              const { budgetedOffering } = yield* Effect.promise(() => import("./budgeted-offering.ts"));
              return yield* Effect.try({
                try: () => budgetedOffering(all.to(caller, now), format, { maxTokens, query }),
                catch: toConfigurationError,
              });
            }
            return yield* Effect.try({
              try: () => {
                refuseQuery({ query });
                return toOffering(all.to(caller, now), format);
              },
              catch: toConfigurationError,
            });
          }),
      };
    }),
  );

const toConfigurationError = (error: unknown): ConfigurationError =>
  error instanceof ConfigurationError
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
