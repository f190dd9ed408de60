import * as Effect from "effect/Effect";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import { tool } from "../tools/tool.ts";
import type { CallContext } from "../types/call.ts";
import type { Risk } from "../types/spec.ts";
import type { AnyTool, Implementation, Registration, Tool } from "../types/tool.ts";
import { functionNames } from "./code-mode/function-names.ts";
import { codeModeTag } from "./code-mode/program-tools.ts";
import type { CodeInput, CodeServices, CodeSettings } from "./code-mode/run-program-with-tools.ts";
import { toDeclarations } from "./code-mode/to-declarations.ts";

/** What the tool for programs is called, and what it lets them do. */
export interface CodeModeOptions extends Omit<CodeSettings, "tools"> {
  /** Unless set: `run-code`. */
  readonly name?: string;
  /**
   * The tools that programs may call: tools, which the model is then told of as TypeScript declarations, or names and
   * patterns. They must be in the runtime too. Unless set: what the model was shown, or else all that its caller may see.
   */
  readonly tools?: readonly (ToolOrClass | string)[];
  /** Of the program; each call that it makes has its own tool's. Unless set: `low`, since it reaches nothing but tools. */
  readonly risk?: Risk;
}

/** What `run-code` answers. */
export interface CodeResult {
  /** What the program returned. */
  readonly value: unknown;
  /** What it printed, line by line. */
  readonly logs: readonly string[];
  /** How many calls it made. */
  readonly calls: number;
}

/**
 * A tool to which a model sends a program that calls other tools as functions. Every call goes down the corridor as if the
 * model had made it, with the call of this tool as its parent. One that needs a person stops the program until there is an
 * answer, where the ledger outlives the process.
 */
export const codeMode = (
  options: CodeModeOptions = {},
): Tool<string, CodeInput, CodeResult, CodeServices> => {
  const { name = "run-code", risk = "low", tools, limits } = options;
  const known = (tools ?? []).flatMap((each) =>
    typeof each === "string" ? [] : [toTool(each) ?? (each as AnyTool)],
  );
  const names = tools?.map((each) =>
    typeof each === "string" ? each : (toTool(each) ?? (each as AnyTool)).spec.name,
  );
  const settings = { ...(names && { tools: names }), ...(limits && { limits }) };
  return tool({
    name,
    description: known.length === 0 ? description : `${description}\n\n${codeDeclarations(known)}`,
    category: "code",
    source: "builtin",
    risk,
    timeout: "5 minutes",
    // What it does to the world, the tools that it calls say.
    annotations: {
      title: "Run a program that calls tools",
      readOnly: false,
      idempotent: false,
      openWorld: false,
    },
    input: inputSchema,
    output: outputSchema,
    implementation: codeModeImplementation(settings),
  }) as never;
};

/** Tools as TypeScript declarations of the functions by which a program calls them. */
export const codeDeclarations = (tools: readonly ToolOrClass[]): string => {
  const named = tools.map((each): Registration => {
    const one = toTool(each) ?? (each as AnyTool);
    return { key: one.spec.name, wireName: one.spec.name, origin: "internal", tool: one };
  });
  return toDeclarations(functionNames(named));
};

/** What runs a program, and by which runtime. */
export interface RunCodeOptions extends CodeInput {
  /** A runtime with the tool of `codeMode`. */
  readonly haft: { readonly call: (name: never, input: never) => Promise<unknown> };
  /** The tool's name. Unless set: `run-code`. */
  readonly name?: string;
}

/** Runs a program of one's own as a model's would be: as a call of `run-code`, with the caller and the ledger of the runtime. */
export const runCode = ({ haft, name = "run-code", ...input }: RunCodeOptions): Promise<CodeResult> =>
  haft.call(name as never, input as never) as Promise<CodeResult>;

const codeModeImplementation = (settings: CodeSettings): Implementation<CodeServices> =>
  Object.freeze({
    _tag: codeModeTag,
    bind: () => (input: unknown, context: CallContext) =>
      // Loaded by the first program.
      Effect.flatMap(
        Effect.promise(() => import("./code-mode/run-program-with-tools.ts")),
        ({ runProgramWithTools: runProgram }) => runProgram(settings, input as CodeInput, context),
      ),
  });

const description = `Runs a program that calls your tools as functions, and gives back its value. Use it where several calls depend on each other or where results must be filtered, joined or counted: only what the program returns comes back.
The program is the body of an async function in TypeScript: use \`return\` and \`await\`. \`tools\` holds the functions, such as \`await tools.get_weather({ city: "Oslo" })\`; each takes one object and throws an Error with a \`code\` if the call fails. Calls that do not depend on each other go into \`Promise.all\`. \`return await tools.declarations()\` shows every function with its types. \`console.log\` is returned as \`logs\`. There is no network, no file system, no import, and the clock stands still.`;

const countSchema = (about: string) => ({ type: "integer", minimum: 1, description: about }) as const;

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
        wallMs: countSchema("milliseconds in all"),
        cpuMs: countSchema("milliseconds of computing"),
        memoryBytes: countSchema("bytes of memory"),
        calls: countSchema("calls of tools"),
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
