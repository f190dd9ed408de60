// allow-sleep in this file: servers that misbehave by being slow, or by staying alive
import { spawn } from "node:child_process";
import { type Era, echoTool, honest, type Message, notify, send } from "./honest.ts";
import { type Hostility, isHandshake, on } from "./hostility.ts";

const never = () => true;
const forever = (work: () => void, ms: number): void => void setInterval(work, ms);
const listed = (id: unknown, tools: readonly unknown[], nextCursor?: string): void =>
  send({
    jsonrpc: "2.0",
    id,
    result: { resultType: "complete", ttlMs: 0, cacheScope: "private", tools, nextCursor },
  });

/** A child process that ignores signals. It has the arguments of its parent, so that it can be found. */
const deafChild = (): void => {
  const code =
    "process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); setInterval(() => {}, 1000);";
  spawn(process.execPath, ["-e", code, ...process.argv.slice(2)], { stdio: "ignore" });
};

const deaf = (): void => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
};

let listings = 0;
let first: { readonly message: Message; readonly era: Era } | undefined;

/** Misbehavior in timing, amount of output and process lifetime. */
export const lifeHostilities = {
  hang: { onMessage: never, stays: true },
  "hang-after-handshake": { onMessage: (message) => !isHandshake(message), stays: true },
  "hang-in-call": { onMessage: on("tools/call", () => undefined), stays: true },
  "slow-start": {
    onMessage: never,
    start: (era) => void setTimeout(() => send(honest({ id: 0, method: "ping" }, era)), 10_000),
    stays: true,
  },
  "late-reply": {
    onMessage: on("tools/call", (message, era) => {
      if (first !== undefined) send(honest(first.message, first.era));
      if (first !== undefined) send(honest(message, era));
      first ??= { message, era };
    }),
  },
  "ignores-cancel": { onMessage: on("tools/call", () => undefined) },
  "notification-flood": {
    onMessage: on("notifications/initialized", () => undefined),
    start: () =>
      forever(() => {
        for (let sent = 0; sent < 500; sent++) notify("notifications/message", { level: "info", data: sent });
      }, 50),
  },
  "progress-flood": {
    onMessage: on("tools/call", (message, era) => {
      const progressToken = message.params?._meta?.progressToken ?? message.id;
      for (let progress = 0; progress < 1000; progress++)
        notify("notifications/progress", { progressToken, progress, total: 1, message: "z".repeat(100) });
      send(honest(message, era));
    }),
  },
  "request-flood": {
    onMessage: on("tools/call", (message, era) => {
      for (let id = 0; id < 1000; id++)
        send({
          jsonrpc: "2.0",
          id: `ask-${id}`,
          method: "sampling/createMessage",
          params: { messages: [], maxTokens: 1 },
        });
      send(honest(message, era));
    }),
  },
  "asks-nonsense": {
    onMessage: on("tools/call", (message, era) => {
      send({ jsonrpc: "2.0", id: null, method: "elicitation/create", params: 5 });
      send({ jsonrpc: "2.0", id: 1, method: "delete/everything" });
      send(honest(message, era));
    }),
  },
  "list-changing": {
    start: () => forever(() => notify("notifications/tools/list_changed"), 5),
    onMessage: on("tools/list", ({ id }) =>
      listed(id, [{ ...echoTool, description: `version ${++listings}` }]),
    ),
  },
  "list-changing-in-call": {
    onMessage: on("tools/call", (message, era) => {
      for (let reported = 0; reported < 200; reported++) notify("notifications/tools/list_changed");
      send(honest(message, era));
    }),
  },
  "same-page-for-ever": { onMessage: on("tools/list", ({ id }) => listed(id, [echoTool], "again")) },
  "new-page-for-ever": {
    onMessage: on("tools/list", ({ id }) =>
      listed(id, [{ ...echoTool, name: `echo-${++listings}` }], `page-${listings}`),
    ),
  },
  "slow-pages": {
    onMessage: on("tools/list", ({ id }) => {
      const page = `page-${++listings}`;
      setTimeout(() => listed(id, [echoTool], page), 100);
    }),
  },
  "ten-thousand-tools": {
    onMessage: on("tools/list", ({ id }) => {
      const description = "d".repeat(50);
      listed(id, [
        echoTool,
        ...Array.from({ length: 9_999 }, (_, n) => ({ ...echoTool, name: `tool-${n}`, description })),
      ]);
    }),
  },
  "same-name-twice": {
    onMessage: on("tools/list", ({ id }) => listed(id, [echoTool, { ...echoTool, description: "twin" }])),
  },
  "stderr-flood": { start: () => forever(() => process.stderr.write("e".repeat(1 << 16)), 1) },
  "exit-at-start": { start: () => process.exit(0) },
  "crash-at-start": {
    start: () => {
      process.stderr.write("Error: cannot find module 'left-pad'\n");
      process.exit(1);
    },
  },
  "exit-in-call": { onMessage: on("tools/call", () => process.exit(0)) },
  "crash-in-call": { onMessage: on("tools/call", () => process.kill(process.pid, "SIGSEGV")) },
  "killed-in-call": { onMessage: on("tools/call", () => process.kill(process.pid, "SIGKILL")) },
  "ignores-sigterm": {
    start: () => {
      deaf();
      deafChild();
    },
    onMessage: on("tools/call", () => undefined),
    stays: true,
  },
  "leaves-a-child": {
    start: deafChild,
    onMessage: on("tools/call", () => process.exit(0)),
  },
} as const satisfies Readonly<Record<string, Hostility>>;
