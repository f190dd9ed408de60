export { type CodeOptions, code } from "./sandbox/code.ts";
export type { CodeInput, CodeServices, CodeSettings } from "./sandbox/code-mode/run-program.ts";
export {
  type CodeModeOptions,
  type CodeResult,
  codeDeclarations,
  codeMode,
  type RunCodeOptions,
  runCode,
} from "./sandbox/code-mode.ts";
export type {
  EngineName,
  Language,
  LimitName,
  LogLine,
  Program,
  ProgramAnswer,
  ProgramCall,
  ProgramEnding,
  ProgramResult,
  Sandbox,
  SandboxLimits,
} from "./sandbox/sandbox.ts";
export type { Sandboxes, SandboxPool } from "./sandbox/sandboxes.ts";
export { type WorkerContext, type WorkerOptions, worker } from "./sandbox/worker.ts";
