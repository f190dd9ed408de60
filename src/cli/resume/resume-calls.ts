import { exitCodes, type Terminal } from "../command.ts";
import { type GivenRuntime, openRuntime } from "../open-runtime.ts";
import { painter, toJsonLine } from "../screen.ts";
import type { Unfinished } from "./unfinished.ts";

/** Calls that were made on their own and have been answered since. */
export const resumeCalls = async (
  { runId, answered }: Unfinished,
  given: GivenRuntime & { readonly json?: boolean },
  terminal: Terminal,
): Promise<number> => {
  if (answered.length === 0) throw new Error(`Nothing of ${runId} is left to go on with.`);
  await using opened = await openRuntime(given, terminal, {
    caller: answered[0]?.principal,
    ledger: "default",
  });
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
