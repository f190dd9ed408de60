import type { Attack } from "./attack.ts";
import { constructorChains } from "./corpus/constructor-chains.ts";
import { cpu } from "./corpus/cpu.ts";
import { denoFunctions } from "./corpus/deno-functions.ts";
import { forgedResults } from "./corpus/forged-results.ts";
import { hostileValues } from "./corpus/hostile-values.ts";
import { memory } from "./corpus/memory.ts";
import { network } from "./corpus/network.ts";
import { pythonLimits } from "./corpus/python-limits.ts";
import { pythonWaysOut } from "./corpus/python-ways-out.ts";
import { stackTraces } from "./corpus/stack-traces.ts";
import { waysOut } from "./corpus/ways-out.ts";

export const corpus: readonly Attack[] = [
  ...constructorChains,
  ...stackTraces,
  ...forgedResults,
  ...hostileValues,
  ...waysOut,
  ...denoFunctions,
  ...network,
  ...cpu,
  ...memory,
  ...pythonWaysOut,
  ...pythonLimits,
];
