import { readImports } from "./read-imports.ts";

/** Rooms that stand on promise libraries, and cross their own door as Effects or as the promise face. The work of all others is Effects. */
export const promiseRooms: ReadonlySet<string> = new Set([
  "ledger",
  "models",
  "experiment",
  "mcp",
  "runtime",
  "bridges",
  "ui",
  "fleet",
  "gateway",
  "studio",
  "server",
  "testing",
  "cli",
]);

/** Files of the other rooms that meet promises all the same, and why. One that no longer does is reported. */
export const promiseFaces: Readonly<Record<string, string>> = {
  "credentials/oauth/file-lock.ts":
    "stands on the file system's promises, behind the promises of a token store",
  "credentials/oauth/file-token-store.ts": "is a token store, whose interface is promises",
  "credentials/secrets/private-file.ts":
    "stands on the file system's promises; its one caller makes an Effect of it",
  "credentials/secrets/run-command.ts": "waits for a process; its one caller makes an Effect of it",
  "policy/cedar.ts": "is the promise that a user of haft/cedar awaits, over a library that is loaded",
  "catalog/variants/shadow.ts": "waits for the promise of somebody's code beside its own answer",
  "catalog/variants/run-variant.ts": "hands on the promise of somebody's code, which costs no fiber",
  "selection/embeddings/file-vector-store.ts":
    "stands on the file system's promises, behind the promises of a vector store",
  "layers/tap.ts": "hears that a promise of somebody's listener was rejected",
  "layers/async-layer.ts": "is the face for layers that are written with promises",
  "otel/fleet-metrics.ts": "observes for a meter, which awaits what a worker asks its database",
  "call/5-run/run.ts": "waits for the promise of somebody's code without a fiber",
  "call/hydration-result.ts": "is the promise that an orchestrator awaits after haft.hydrate",
  "call/1-hydrate/hydrate-call.ts":
    "is the pure hydrate of the root door, which asks a repairer for a promise",
  "agent/model-call.ts": "reads the stream of a model, which is an async iterable",
  "sandbox/code-mode/program-calls.ts": "answers the calls of a program, which an engine awaits as promises",
  "sandbox/quickjs/worker/main.ts": "starts a worker, in which there is no Effect",
  "sandbox/quickjs/worker/quickjs.ts": "loads WebAssembly in a worker, in which there is no Effect",
  "sandbox/quickjs/run-program.ts": "hears the promise by which the caller answers a program's call",
  "sandbox/worker.ts": "waits for the promise of somebody's module in the host's thread",
  "agent/agent-stream.ts": "is the async iterable that a user of haft.stream reads",
};

export interface RawAsync {
  readonly line: number;
  readonly what: "async" | "await" | "new Promise" | ".then(";
}

const forms: readonly (readonly [RawAsync["what"], RegExp])[] = [
  ["async", /(?<![.\w$#])async\b(?=\s*(?:\(|\*|<|function\b|[#[\w$"]))/],
  ["await", /(?<![.\w$#])await\b(?!\s*[:?])/],
  ["new Promise", /\bnew\s+Promise\b/],
  [".then(", /\.then\s*[(<]/],
];

/** Where a source text is written with promises itself. Words in comments and texts do not count. */
export const readRawAsync = (text: string): readonly RawAsync[] => {
  const lines: string[] = [];
  readImports(text, (code, line) => {
    lines[line] = (lines[line] ?? "") + code;
  });
  return lines.flatMap((code = "", line) =>
    forms.flatMap(([what, form]) => (form.test(code) ? [{ line, what }] : [])),
  );
};
