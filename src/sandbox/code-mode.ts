import * as Effect from "effect/Effect";
import { tool } from "../tool/tool.ts";
import type { CallContext } from "../words/call.ts";
import type { Risk } from "../words/spec.ts";
import type { Implementation, Tool } from "../words/tool.ts";
import type { CodeInput, CodeServices, CodeSettings } from "./code-mode/run-program.ts";

/** What the tool for programs is called, and what it lets them do. */
export interface CodeModeOptions extends CodeSettings {
  /** Unless set: `run-code`. */
  readonly name?: string;
  /** Said to the model after what the tool says by itself, such as the declarations of what it can call. Unless set: nothing. */
  readonly about?: string;
  /** Of the program; each call that it makes has its own tool's. Unless set: `low`, since it reaches nothing but tools. */
  readonly risk?: Risk;
}

/** What `run-code` answers. */
export interface CodeResult {
  readonly value: unknown;
  /** What the program printed, line by line. */
  readonly logs: readonly string[];
  /** How many calls it made. */
  readonly calls: number;
}

/**
 * A tool to which a model sends a program that calls other tools as functions. Every call goes down the corridor as if the
 * model had made it, with the call of this tool as its parent.
 */
export const codeMode = (
  options: CodeModeOptions = {},
): Tool<string, CodeInput, CodeResult, CodeServices> => {
  const { name = "run-code", about, risk = "low", ...settings } = options;
  return tool({
    name,
    description: about === undefined ? description : `${description}\n\n${about}`,
    category: "code",
    source: "builtin",
    risk,
    timeout: "5 minutes",
    input: inputSchema,
    output: outputSchema,
    implementation: implementation(settings),
  }) as never;
};

const implementation = (settings: CodeSettings): Implementation<CodeServices> =>
  Object.freeze({
    _tag: "code-mode",
    bind: () => (input: unknown, context: CallContext) =>
      // Loaded by the first program.
      Effect.flatMap(
        Effect.promise(() => import("./code-mode/run-program.ts")),
        ({ runProgram }) => runProgram(settings, input as CodeInput, context),
      ),
  });

const description = `Runs a program that calls your tools as functions, and gives back its value. Use it where several calls depend on each other or where results must be filtered, joined or counted: only what the program returns comes back.
The program is the body of an async function in TypeScript: use \`return\` and \`await\`. \`tools\` holds the functions, such as \`await tools.get_weather({ city: "Oslo" })\`; each takes one object and throws an Error with a \`code\` if the call fails. Calls that do not depend on each other go into \`Promise.all\`. \`return await tools.declarations()\` shows every function with its types. \`console.log\` is returned as \`logs\`. There is no network, no file system, no import, and the clock stands still.`;

const count = (about: string) => ({ type: "integer", minimum: 1, description: about }) as const;

const inputSchema = {
  type: "object",
  properties: {
    source: {
      type: "string",
      minLength: 1,
      maxLength: 102_400,
      description: "the body of an async function",
    },
    language: { enum: ["typescript", "javascript"], default: "typescript" },
    tools: {
      type: "array",
      items: { type: "string" },
      description: "names or patterns of the tools it may call; all that there are unless given",
    },
    limits: {
      type: "object",
      description: "less than it may use otherwise",
      properties: {
        wallMs: count("milliseconds in all"),
        cpuMs: count("milliseconds of computing"),
        memoryBytes: count("bytes of memory"),
        calls: count("calls of tools"),
      },
      additionalProperties: false,
    },
  },
  required: ["source"],
  additionalProperties: false,
} as const;

const outputSchema = {
  type: "object",
  properties: {
    value: {},
    logs: { type: "array", items: { type: "string" } },
    calls: { type: "integer" },
  },
  required: ["value", "logs", "calls"],
  additionalProperties: false,
} as const;
