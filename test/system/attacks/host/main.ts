import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { ProgramCall, ProgramResult, Sandbox, SandboxProgram } from "../../../../src/sandbox/sandbox.ts";
import { type Attack, type OpenEngineName, openEngines, type Target } from "../attack.ts";
import { openEngineByName } from "../open/engines.ts";
import { limits } from "./limits.ts";
import { type ShippedEngineName, shippedEngines } from "./shipped.ts";

/** A message from the campaign to a host process, whose engine is named by `process.argv[2]`. */
export interface HostOrder {
  readonly attack: Attack;
  readonly target: Target;
}

/** What the host observed of one run. */
export interface HostReport {
  /** The ending as text. */
  readonly ending: string;
  /** Everything the program returned, as text. */
  readonly text: string;
  readonly logBytes: number;
  /** Measured from the start of the program itself. */
  readonly wallMs: number;
  readonly calls: number;
  readonly longestCall: number;
  readonly hasForeignCall: boolean;
  readonly isPolluted: boolean;
  readonly isFailure: boolean;
}

let close = (): Promise<void> => Promise.resolve();
process.once("disconnect", () => void close().then(() => process.exit(0)));

const granted = ["echo", "fail"];

const open = async (name: string): Promise<(program: SandboxProgram) => Promise<ProgramResult>> => {
  if ((openEngines as readonly string[]).includes(name)) return openEngineByName[name as OpenEngineName];
  const load = shippedEngines[name as ShippedEngineName];
  const scope = Effect.runSync(Scope.make());
  const sandbox: Sandbox = await Effect.runPromise(Scope.provide(await load(), scope));
  close = () => sandbox.close();
  return (program) =>
    Effect.runPromise(sandbox.run(sandbox.engine === "quickjs" ? program : { ...program, functions: [] }));
};

const runAttack = async (
  run: (program: SandboxProgram) => Promise<ProgramResult>,
  { attack, target }: HostOrder,
): Promise<HostReport> => {
  let [calls, longestCall, hasForeignCall] = [0, 0, false];
  const answer = async ({ name, input }: ProgramCall) => {
    calls += 1;
    longestCall = Math.max(longestCall, String(input).length);
    hasForeignCall ||= !granted.includes(name);
    return name === "fail"
      ? ({ ok: false, message: "It always fails." } as const)
      : ({ ok: true, value: input ?? "null" } as const);
  };
  const { language, source } = attack;
  const program = { language, source, input: target, functions: granted, answer, limits };
  try {
    const result = await run(program);
    const text = lookAt(result);
    return {
      ending: endingOf(result),
      text,
      logBytes: result.logs.reduce((sum, line) => sum + line.text.length, 0),
      wallMs: result.usage.wallMs,
      calls,
      longestCall,
      hasForeignCall,
      isPolluted: isPolluted(),
      isFailure: false,
    };
  } catch (error) {
    const ending = `run failed: ${(error as Error).message}`;
    const rest = { text: "", logBytes: 0, wallMs: 0, isPolluted: isPolluted(), isFailure: true };
    return { ending, ...rest, calls, longestCall, hasForeignCall };
  }
};

/** Uses a value as careless hosts do. A value that is only data has no effect here. */
const lookAt = (result: ProgramResult): string => `${valueText(result)}\n${fileText(result)}`;

const valueText = ({ ending, logs }: ProgramResult): string => {
  if (ending.kind !== "value") return `${JSON.stringify(ending)}\n${printed(logs)}`;
  const { value } = ending;
  if (Array.isArray(value)) Array.prototype.map.call(value, String);
  if (typeof value === "object" && value !== null) Object.entries(value);
  return `${inspect(value, { depth: 10 })}\n${JSON.stringify(value)}\n${printed(logs)}`.slice(0, 4_000_000);
};

const fileText = ({ files }: ProgramResult): string =>
  Object.values(files)
    .map((bytes) => Buffer.from(bytes).subarray(0, 10_000).toString("latin1"))
    .join("\n");

const printed = (logs: ProgramResult["logs"]): string =>
  logs
    .slice(0, 10_000)
    .map(({ text }) => text.slice(0, 10_000))
    .join("\n")
    .slice(0, 1_000_000);

const endingOf = ({ ending }: ProgramResult): string => {
  if (ending.kind === "stopped") return `stopped: ${ending.limit}`;
  return ending.kind === "value" ? "value" : `${ending.kind}: ${String(ending.message).slice(0, 200)}`;
};

const own = (): readonly unknown[] =>
  [Object.prototype, Array.prototype, Function.prototype, Promise.prototype].flatMap((of) =>
    Object.entries(Object.getOwnPropertyDescriptors(of)).flatMap(([name, { value, get, set }]) => [
      name,
      value,
      get,
      set,
    ]),
  );
const clean = own();
const isPolluted = (): boolean => {
  const now = own();
  return now.length !== clean.length || now.some((each, index) => each !== clean[index]);
};

const send = process.send!.bind(process);
const run = await open(process.argv[2]!).catch((error: Error) => {
  send({ missing: error.message });
  return undefined;
});
if (run !== undefined) {
  process.on("message", (order: HostOrder) => {
    void runAttack(run, order).then((report) => send({ report }));
  });
  send({ ready: true });
}
