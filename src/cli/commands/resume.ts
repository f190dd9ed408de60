import { agentOptions, runOptionsOf } from "../agent-options.ts";
import { answerOnce, runCodes, tellWaiting } from "../answer-once.ts";
import { approvalHead, approvalLine } from "../approvals/listing.ts";
import { command, exitCodes } from "../command.ts";
import { withRuntimeLedger } from "../ledger/open.ts";
import { loadAgent } from "../load-agent.ts";
import { Misuse } from "../misuse.ts";
import { openRuntime } from "../open-runtime.ts";
import { resumeCalls } from "../resume/resume-calls.ts";
import { type Unfinished, unfinished } from "../resume/unfinished.ts";
import { plain, titled, toJsonLine } from "../screen.ts";

/** Another process goes on where one stopped; what was done is not done again. */
export const resume = command({
  name: "resume",
  about: "Go on with a run that waited for a person, or whose process ended.",
  operands: "RUN [AGENT]",
  options: agentOptions,
  examples: [
    { line: "haft resume run-4f3a9c0d1e2b3f44-1 shop.ts", about: "with the agent that the run is of" },
    { line: "haft log --runs", about: "which runs wait, and which were left" },
    {
      line: "haft resume run-4f3a9c0d1e2b3f44-1 --tools shop.ts",
      about: "a call of haft call that was approved",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [typed, file, ...more] = operands;
    if (typed === undefined || more.length > 0) {
      throw new Misuse("haft resume takes a run, and the file of its agent. haft log --runs lists runs.");
    }
    const found: Unfinished = await withRuntimeLedger(options, terminal, (ledger) =>
      unfinished(ledger, typed, terminal.now()),
    );
    if (found.waiting.length > 0) {
      const lines = found.waiting.map((each) => approvalLine(each, terminal.now()));
      if (options.json === true) for (const each of found.waiting) terminal.out(toJsonLine(each));
      else
        terminal.error(`${found.runId} still waits for answers:\n${titled(approvalHead, lines, terminal)}`);
      return exitCodes.pending;
    }
    if (found.run === undefined) return resumeCalls(found, options, terminal);
    if (file === undefined) {
      throw new Misuse(
        `${found.runId} is a run of the agent "${plain(found.run.agent)}": name its file too.`,
      );
    }
    const loaded = await loadAgent(file, options, terminal);
    const common = runOptionsOf(options, loaded, terminal);
    await using opened = await openRuntime({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      caller: found.run.principal,
      ledger: "default",
    });
    const asked = { haft: opened.haft, agent: loaded.agent };
    const response = await answerOnce(
      asked,
      undefined,
      { ...common, resume: found.runId },
      options,
      terminal,
    );
    if (options.json === true) terminal.out(toJsonLine(response));
    else tellWaiting(response, file, terminal);
    return terminal.signal.aborted ? exitCodes.cancelled : runCodes[response.status];
  },
});
