import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import { hashText } from "../../base/json/canonical-json.ts";
import type { CallContext } from "../../types/call.ts";
import { ConfigurationError } from "../../types/errors.ts";

export type VariantWeights<Name extends string> = Readonly<Partial<Record<Name, number>>>;

export type VariantPick<Name extends string> =
  | { readonly fixed: Name }
  | { readonly weights: VariantWeights<Name>; readonly seed?: string | number }
  | {
      /**
       * Calls with the same key get the same variant in every process. Without a key the choice is random.
       */
      readonly sticky: (context: CallContext, input: unknown) => string | undefined;
      readonly weights: VariantWeights<Name>;
      /** Changes the assignment of keys. */
      readonly seed?: string | number;
    };

export type PickVariant<Name extends string> = (
  input: unknown,
  context: CallContext,
) => Name | Effect.Effect<Name>;

const maxRememberedCalls = 1_000;

export const pickVariant = <Name extends string>(
  pick: VariantPick<Name>,
  names: readonly Name[],
): PickVariant<Name> => {
  if ("fixed" in pick) {
    checkVariantName(pick.fixed, names);
    return () => pick.fixed;
  }
  const scale = readWeights(pick.weights, names);
  const seed = "seed" in pick ? pick.seed : undefined;
  const chance = pickRandomly(scale, "sticky" in pick ? undefined : seed);
  if (!("sticky" in pick)) return chance;
  return (input, context) => {
    const key = pick.sticky(context, input);
    return key === undefined ? chance(input, context) : scale(hashFraction(`${seed ?? ""} ${key}`));
  };
};

/** A retry of a call gets the variant of the first attempt. */
const pickRandomly = <Name extends string>(
  scale: (fraction: number) => Name,
  seed: string | number | undefined,
): PickVariant<Name> => {
  const before = new Map<string, Name>();
  const own = seed === undefined ? undefined : seededRandom(seed);
  const draw = (key: string, random: Random.Random): Name => {
    const picked = before.get(key) ?? scale(random.nextDoubleUnsafe());
    before.set(key, picked);
    if (before.size > maxRememberedCalls) before.delete(before.keys().next().value!);
    return picked;
  };
  return (_, { idempotencyKey }) =>
    Effect.withFiber((fiber) => Effect.succeed(draw(idempotencyKey, own ?? fiber.getRef(Random.Random))));
};

const seededRandom = (seed: string | number): Random.Random =>
  Effect.runSync(
    Random.withSeed(
      Effect.withFiber((fiber) => Effect.succeed(fiber.getRef(Random.Random))),
      seed,
    ),
  );

/** The same in every process. */
const hashFraction = (text: string): number => Number.parseInt(hashText(text).slice(0, 13), 16) / 16 ** 13;

const readWeights = <Name extends string>(
  weights: VariantWeights<Name>,
  names: readonly Name[],
): ((fraction: number) => Name) => {
  const entries = Object.entries(weights) as [Name, number][];
  for (const [name, weight] of entries) {
    checkVariantName(name, names);
    if (typeof weight === "number" && weight >= 0 && weight < Number.POSITIVE_INFINITY) continue;
    throw invalidConfigError(
      `The weight of the variant "${name}" is ${weight}; it must be a number of 0 or more.`,
    );
  }
  const heavy = entries.filter(([, weight]) => weight > 0);
  const total = heavy.reduce((sum, [, weight]) => sum + weight, 0);
  const last = heavy.at(-1)?.[0];
  if (last === undefined) throw invalidConfigError("At least one variant needs a weight above 0.");
  return (fraction) => {
    let left = fraction * total;
    for (const [name, weight] of heavy) {
      if (left < weight) return name;
      left -= weight;
    }
    return last;
  };
};

export const checkVariantName = (name: string, names: readonly string[]): void => {
  if (names.includes(name)) return;
  throw invalidConfigError(
    `Unknown variant "${name}"; the variants are ${names.map((each) => `"${each}"`).join(", ")}.`,
  );
};

const invalidConfigError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
