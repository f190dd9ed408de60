import { exitCodes, type Terminal } from "../command.ts";
import { type GivenRuntime, openWith, runtimeOptionsOf } from "../open-runtime.ts";
import { painter, toJsonLine } from "../screen.ts";
import { refuseChanged } from "./refuse-changed.ts";
import type { Unfinished } from "./unfinished.ts";

interface GivenCalls extends GivenRuntime {
  readonly json?: boolean;
  readonly force?: boolean;
}

/** Calls that were made on their own and have been answered since. */
export const resumeCalls = async (
  { runId, answered }: Unfinished,
  given: GivenCalls,
  terminal: Terminal,
): Promise<number> => {
  if (answered.length === 0) throw new Error(`Nothing of ${runId} is left to go on with.`);
  const caller = answered[0]?.principal;
  const opening = await runtimeOptionsOf(given, terminal, { caller, ledger: "default" });
  if (given.force !== true) await refuseChanged(answered, opening);
  await using opened = await openWith(opening);
  let code: number = exitCodes.done;
  for (const { id } of answered) {
    const reply = await opened.haft.resume(id);
    if (given.json === true) terminal.out(toJsonLine(reply));
    else if (reply.ok) terminal.out(`${reply.text}\n`);
    else terminal.error(`${painter(terminal).red("haft:")} ${reply.text.replace(/^Error: /, "")}\n`);
    if (!reply.ok) code = exitCodes.failed;
  }
  return code;
};
