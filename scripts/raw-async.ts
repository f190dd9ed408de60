import { readImports } from "./read-imports.ts";

/** Modules that are built on promise libraries. All others are written in Effect. */
export const promiseModules: ReadonlySet<string> = new Set([
  "tools/openapi",
  "ledger",
  "models",
  "agent/experiments",
  "mcp",
  "runtime",
  "integrations",
  "server/request",
  "server/chat",
  "server/gateway",
  "server/studio-api",
  "server/http",
  "fleet",
  "testing",
  "cli",
  "exports",
]);

/** Files of the other modules that use promises, and why. A file that no longer does is reported. */
export const promiseFiles: Readonly<Record<string, string>> = {
  "base/credentials/oauth/acquire-file-lock.ts": "locks files for token stores, whose interface is promises",
  "base/credentials/oauth/file-token-store.ts": "implements a token store, whose interface is promises",
  "base/platform/replace-file.ts": "uses the promises of node:fs for modules that are written with promises",
  "base/credentials/oauth/loopback-redirect.ts": "waits for a browser; its callers are promise modules",
  "base/credentials/oauth/open-in-browser.ts": "starts a program; its callers are promise modules",
  "base/credentials/secrets/read-private-file.ts":
    "uses the promises of node:fs; its one caller wraps it in an Effect",
  "base/credentials/secrets/run-secret-command.ts":
    "waits for a process; its one caller wraps it in an Effect",
  "registry/variants/shadow.ts": "waits for a user's promise without delaying its own answer",
  "registry/variants/run-variant.ts": "passes a user's promise on without the cost of a fiber",
  "registry/selection/embeddings/file-vector-store.ts":
    "implements a vector store, whose interface is promises",
  "pipeline/layers/tap.ts": "observes the rejection of a listener's promise",
  "pipeline/layers/async-layer.ts": "adapts layers that are written with promises",
  "pipeline/5-run/run.ts": "waits for a tool's promise without the cost of a fiber",
  "pipeline/hydration-result.ts": "is the promise that users await after haft.hydrate",
  "pipeline/1-hydrate/hydrate-arguments.ts":
    "is the promise function hydrate of the package, with an asynchronous repairer",
  "agent/model-caller.ts": "reads the stream of a model, which is an async iterable",
  "sandbox/code-mode/program-calls.ts": "answers the calls of a program, which an engine awaits as promises",
  "sandbox/quickjs/worker/main.ts": "starts a worker thread, which does not load Effect",
  "sandbox/quickjs/worker/quickjs.ts": "loads WebAssembly in a worker thread, which does not load Effect",
  "sandbox/quickjs/run-in-guest-worker.ts": "receives the promise of a program's call",
  "sandbox/worker.ts": "waits for the promise of a user's module in a worker thread",
  "agent/agent-stream.ts": "is the async iterable that users of haft.stream read",
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

/** Lines of a source text that use promises. Comments and strings are ignored. */
export const readRawAsync = (text: string): readonly RawAsync[] => {
  const lines: string[] = [];
  readImports(text, (code, line) => {
    lines[line] = (lines[line] ?? "") + code;
  });
  return lines.flatMap((code = "", line) =>
    forms.flatMap(([what, form]) => (form.test(code) ? [{ line, what }] : [])),
  );
};
