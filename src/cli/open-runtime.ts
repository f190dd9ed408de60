import { existsSync } from "node:fs";
import { Haft } from "../runtime/haft.ts";
import type { HaftOptions } from "../runtime/options.ts";
import type { ApprovalDecision, ApprovalRequest } from "../words/approval.ts";
import type { Option, Terminal } from "./command.ts";
import { loadModule } from "./load-module.ts";
import { loadTools } from "./load-tools.ts";
import { Misuse } from "./misuse.ts";
import { painter, plain } from "./screen.ts";

/** What every command that opens a runtime understands. */
export const runtimeOptions = {
  tools: {
    type: "string",
    short: "t",
    multiple: true,
    value: "FILE",
    about: "a module that exports tools; may be given more than once",
  },
  config: {
    type: "string",
    short: "c",
    value: "FILE",
    about: "a module whose default export goes to Haft.open (haft.config.ts or .js if there is one)",
  },
  allow: {
    type: "string",
    multiple: true,
    value: "PATTERN",
    about: 'tools that may be used, such as "get_*"; all of those named unless given',
  },
  as: { type: "string", value: "AGENT", about: "who is calling, for policy and the ledger" },
  repair: {
    type: "string",
    value: "MODE",
    choices: ["off", "deterministic", "model"],
    about: "mend arguments that cannot be used as they came",
  },
} as const satisfies Readonly<Record<string, Option>>;

interface Given {
  readonly tools?: readonly string[];
  readonly config?: string;
  readonly allow?: readonly string[];
  readonly as?: string;
  readonly repair?: string;
  readonly model?: string;
}

/** A runtime as the command line and the user's configuration want it. Approvals are asked at the terminal. */
export const openRuntime = async (given: Given, terminal: Terminal, fallback = "cli"): Promise<Haft> => {
  const options = await readConfiguration(given.config);
  const tools = await loadTools(given.tools ?? []);
  const principal = {
    // A file does not say who is calling; its name stands in only where nobody else does.
    agent: fallback,
    ...options.principal,
    ...(given.as === undefined ? {} : { agent: given.as }),
    allow: given.allow ?? options.principal?.allow ?? ["*"],
  };
  const config =
    given.repair === undefined || typeof options.config === "string"
      ? options.config
      : { ...options.config, hydration: { repair: given.repair as "off" } };
  return Haft.open({
    ...options,
    ...(config === undefined ? {} : { config }),
    ...(given.model === undefined ? {} : { model: given.model }),
    tools: [...(options.tools ?? []), ...tools],
    principal,
    approver: options.approver ?? askAt(terminal),
  } as never);
};

const names = ["haft.config.ts", "haft.config.mts", "haft.config.js", "haft.config.mjs"];

const readConfiguration = async (file: string | undefined): Promise<HaftOptions> => {
  const found = file ?? names.find((name) => existsSync(name));
  if (found === undefined) return {};
  const { default: options } = await loadModule(found, "configuration");
  if (typeof options === "object" && options !== null) return options;
  throw new Misuse(`${found} has no default export with options for Haft.open.`);
};

/** Nobody at the terminal means nobody to ask: what needs a person is refused. */
const askAt = (terminal: Terminal): HaftOptions["approver"] => {
  if (!terminal.isInteractive) return undefined as never;
  const { yellow } = painter(terminal);
  return async ({ tool, input, reason }: ApprovalRequest): Promise<ApprovalDecision> => {
    const shown = plain(JSON.stringify(input));
    const answer = await terminal.ask(
      `\n${yellow("?")} ${tool} ${shown}\n  ${plain(reason)}. Allow it? [y/N] `,
    );
    return /^y(es)?$/i.test(answer?.trim() ?? "")
      ? { kind: "allow" }
      : { kind: "deny", reason: "refused at the terminal" };
  };
};
