import type { TurnOptions } from "../call/tools.ts";
import type { RepairMode } from "../words/hydration.ts";
import { refuseCall } from "./refuse-call.ts";

/** What is wrong with what `haft.turn` or `haft.hydrate` was given, if anything is. */
export const refuseTurn = (
  way: "turn" | "hydrate",
  calls: unknown,
  options: TurnOptions,
): string | undefined => {
  const wrong = refuseCall(way, options);
  if (wrong !== undefined) return wrong.message;
  const { maxConcurrency, join, signal, repair } = options;
  if (!Array.isArray(calls)) return `haft.${way} takes a list of calls: [{ id, tool, input }].`;
  if (repair !== undefined && !repairModes.has(repair))
    return 'repair must be "off", "deterministic" or "model".';
  if (maxConcurrency !== undefined && !(maxConcurrency >= 1)) return "maxConcurrency must be at least 1.";
  if (join !== undefined && join !== "all" && join !== "fail-fast")
    return 'join must be "all" or "fail-fast".';
  return signal === undefined || signal instanceof AbortSignal ? undefined : "signal must be an AbortSignal.";
};

const repairModes: ReadonlySet<string> = new Set<RepairMode>(["off", "deterministic", "model"]);
