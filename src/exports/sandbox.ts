export { type CodeOptions, code } from "../sandbox/code.ts";
export type { CodeInput, CodeServices, CodeSettings } from "../sandbox/code-mode/run-program-with-tools.ts";
export {
  type CodeModeOptions,
  type CodeResult,
  codeDeclarations,
  codeMode,
  type RunCodeOptions,
  runCode,
} from "../sandbox/code-mode.ts";
export type {
  EngineName,
  Language,
  ProgramAnswer,
  ProgramCall,
  ProgramEnding,
  ProgramResult,
  Sandbox,
  SandboxLimitName,
  SandboxLimits,
  SandboxLogLine,
  SandboxProgram,
} from "../sandbox/sandbox.ts";
export type { Sandboxes, SandboxPool } from "../sandbox/sandboxes.ts";
export { type ToolWorkerOptions, type WorkerContext, worker } from "../sandbox/worker.ts";
