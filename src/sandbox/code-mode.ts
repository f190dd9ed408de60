import * as Effect from "effect/Effect";
import { type ToolOrClass, toTool } from "../tools/decorator.ts";
import { tool } from "../tools/tool.ts";
import type { CallContext } from "../types/call.ts";
import type { AnyTool, Implementation, Registration, Risk, Tool } from "../types/tool.ts";
import { codeModeTag, functionNames } from "./code-mode/program-tools.ts";
import type { CodeInput, CodeServices, CodeSettings } from "./code-mode/run-program-with-tools.ts";
import { toDeclarations } from "./code-mode/to-declarations.ts";

/** Options of the tool that runs programs. */
export interface CodeModeOptions extends Omit<CodeSettings, "tools"> {
  /** Name of the tool. Unless set: `run-code`. */
  readonly name?: string;
  /**
   * Tools that programs may call: tools, whose declarations the model then receives, or names and patterns.
   * The runtime must contain them. Unless set: the tools that the model was shown, or all tools that its
   * caller may see.
   */
  readonly tools?: readonly (ToolOrClass | string)[];
  /**
   * Risk of running a program. Each call in it has the risk of its own tool. Unless set: `low`, because a
   * program reaches only tools.
   */
  readonly risk?: Risk;
}

/** Result of `run-code`. */
export interface CodeResult {
  /** The value that the program returned. */
  readonly value: unknown;
  /** Printed lines. */
  readonly logs: readonly string[];
  /** Number of tool calls. */
  readonly calls: number;
}

/**
 * Creates a tool that runs programs of a model, which call other tools as functions. Every call uses the call
 * pipeline with the call of this tool as its parent. If a call requires approval, the program stops and
 * resumes after the decision, provided that the ledger is durable.
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
    // The effects are those of the called tools.
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

/** Returns the TypeScript declarations of the functions by which a program calls these tools. */
export const codeDeclarations = (tools: readonly ToolOrClass[]): string => {
  const named = tools.map((each): Registration => {
    const one = toTool(each) ?? (each as AnyTool);
    return { key: one.spec.name, wireName: one.spec.name, origin: "internal", tool: one };
  });
  return toDeclarations(functionNames(named));
};

/** A program and the runtime that runs it. */
export interface RunCodeOptions extends CodeInput {
  /** A runtime that has the tool of `codeMode`. */
  readonly haft: { readonly call: (name: never, input: never) => Promise<unknown> };
  /** Name of that tool. Unless set: `run-code`. */
  readonly name?: string;
}

/** Runs a program as a call of `run-code`, with the caller and the ledger of the runtime. */
export const runCode = ({ haft, name = "run-code", ...input }: RunCodeOptions): Promise<CodeResult> =>
  haft.call(name as never, input as never) as Promise<CodeResult>;

const codeModeImplementation = (settings: CodeSettings): Implementation<CodeServices> =>
  Object.freeze({
    _tag: codeModeTag,
    bind: () => (input: unknown, context: CallContext) =>
      // Loaded on first use.
      Effect.flatMap(
        Effect.promise(() => import("./code-mode/run-program-with-tools.ts")),
        ({ runProgramWithTools: runProgram }) => runProgram(settings, input as CodeInput, context),
      ),
  });

// Part of the definition hash: another text would void pending approvals of earlier versions.
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
