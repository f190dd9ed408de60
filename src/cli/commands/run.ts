import type { BindMode } from "../../catalog/library/binding.ts";
import type { AgentResponse, RunStatus } from "../../words/agent.ts";
import { ToolError } from "../../words/errors.ts";
import { chat } from "../chat.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { readConversation, saveConversation } from "../conversation-file.ts";
import { loadAgent } from "../load-agent.ts";
import { Misuse } from "../misuse.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { painter } from "../screen.ts";
import { showWay } from "../show-way.ts";
import { tellRun } from "../tell-run.ts";

/** Which exit code tells how a run ended. */
const codes: Readonly<Record<RunStatus, number>> = {
  done: exitCodes.done,
  failed: exitCodes.failed,
  pending: exitCodes.pending,
  stopped: exitCodes.stopped,
  cancelled: exitCodes.cancelled,
};

/** An agent answers once, or talks until the person has enough. */
export const run = command({
  name: "run",
  about: "Let an agent answer; without an input, talk with it.",
  operands: "AGENT [INPUT]",
  options: {
    library: {
      type: "string",
      short: "l",
      value: "FILE",
      about:
        "a module with the code of the agent's tools (the file of the same name beside the agent, if there is one)",
    },
    model: {
      type: "string",
      short: "m",
      value: "NAME",
      about:
        'provider/model-id, or "offline"; the agent\'s own unless given, offline where its key is missing',
    },
    bind: {
      type: "string",
      value: "MODE",
      choices: ["exact", "compatible", "name"],
      about: "how well code must fit the spec it answers; compatible unless given",
    },
    conversation: {
      type: "string",
      value: "FILE",
      about: "go on with the conversation in this file, and keep it there",
    },
    "max-turns": { type: "string", value: "N", about: "how often the model may be asked; 10 unless given" },
    trace: { type: "boolean", about: "show each call's way through the corridor" },
    json: { type: "boolean", about: "print the whole response as JSON" },
    ...runtimeOptions,
  },
  examples: [
    { line: `haft run hello.gram "Hello, I'm Ada"`, about: "one answer" },
    { line: "haft run hello.gram", about: "talk with the agent; an empty line or Ctrl-D ends it" },
    {
      line: `haft run shop.ts "Where is my order?" --model openai/gpt-5 --conversation talk.json`,
      about: "go on where it stopped",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [file, ...words] = operands;
    if (file === undefined)
      throw new Misuse("haft run takes the file of an agent: .gram, .json, .ts or .js.");
    const loaded = await loadAgent(file, options, terminal);
    const maxTurns = readCount(options["max-turns"]);
    await using haft = await openRuntime({ ...options, model: undefined }, terminal, loaded.agent.name);
    const keep = options.conversation;
    const common = {
      ...(loaded.library === undefined ? {} : { library: loaded.library }),
      model: loaded.model,
      ...(maxTurns === undefined ? {} : { maxTurns }),
      ...(options.bind === undefined ? {} : { bind: options.bind as BindMode }),
      signal: terminal.signal,
    };
    const answer = async (input: string, context: AgentResponse["context"]): Promise<AgentResponse> => {
      const response = await ask(input, context).catch((error: unknown) => keepOf(error, terminal));
      // After every answer: what ran need not run again because something later failed.
      if (keep !== undefined) await saveConversation(keep, response.context);
      return response;
    };
    const ask = async (input: string, context: AgentResponse["context"]): Promise<AgentResponse> => {
      const stream = haft.stream(loaded.agent, input, { ...common, context });
      if (options.json === true) return stream.response;
      const response = await tellRun(stream, terminal);
      if (options.trace === true) showWay(await haft.log({ runId: response.runId }), terminal);
      return response;
    };
    const before = keep === undefined ? [] : await readConversation(keep);
    const input = words.join(" ") || (await terminal.input()).trim();
    if (input === "" && !terminal.isInteractive)
      throw new Misuse("haft run needs an input: a text behind the agent, or a pipe.");
    const response =
      input === "" ? await chat(loaded, terminal, before, answer) : await answer(input, before);
    if (terminal.signal.aborted) return exitCodes.cancelled;
    if (response === undefined) return exitCodes.done;
    if (options.json === true) terminal.out(`${JSON.stringify(response)}\n`);
    return codes[response.status];
  },
});

/** What was said and done before a run failed, if it came to anything. */
const keepOf = (error: unknown, terminal: Terminal): AgentResponse => {
  const response = ToolError.is(error) ? error.response : undefined;
  if (response === undefined || response.turns === 0) throw error;
  terminal.error(`${painter(terminal).red("haft:")} ${(error as Error).message}\n`);
  return response;
};

const readCount = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Misuse(`--max-turns takes a whole number from 1 on; "${text}" is none.`);
};
