import type { RunOptions } from "../agent/run-options.ts";
import type { BindMode } from "../registry/library/library-entry.ts";
import { jsonValue, type Option, readCount, type Terminal } from "./command.ts";
import type { LoadedAgent } from "./load-agent.ts";
import { recordedRuntimeOptions } from "./open-runtime.ts";

export const agentOptions = {
  library: {
    type: "string",
    short: "l",
    value: "FILE",
    about:
      "a module with the code of the agent's tools (default: the file of the same name next to the agent file, if it exists)",
  },
  model: {
    type: "string",
    short: "m",
    value: "NAME",
    about: 'provider/model-id, or "offline"; the agent\'s own unless given, offline where its key is missing',
  },
  bind: {
    type: "string",
    value: "MODE",
    choices: ["exact", "compatible", "name"],
    about: "how closely code must match its spec; default compatible",
  },
  "max-turns": { type: "string", value: "N", about: "maximum number of model requests; default 10" },
  record: { type: "boolean", about: "store the exact texts of this run, for haft replay" },
  trace: { type: "boolean", about: "show the pipeline stages of each call" },
  json: jsonValue("the whole response"),
  ...recordedRuntimeOptions,
} as const satisfies Readonly<Record<string, Option>>;

interface AgentFlags {
  readonly bind?: string;
  readonly "max-turns"?: string;
}

export const toRunOptions = (flags: AgentFlags, loaded: LoadedAgent, { signal }: Terminal): RunOptions => {
  const maxTurns = readCount("max-turns", flags["max-turns"], 1);
  return {
    ...(loaded.library === undefined ? {} : { library: loaded.library }),
    model: loaded.model,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(flags.bind === undefined ? {} : { bind: flags.bind as BindMode }),
    signal,
  };
};
