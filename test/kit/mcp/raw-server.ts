import { spawn } from "node:child_process";
import { appendFileSync, closeSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Run as a child process: speaks the protocol by hand, so that it can violate it. First argument: behaviors,
// separated by commas; second: a file that gets a line for each start.
const behaviors = new Set((process.argv[2] ?? "").split(","));
const [, , , startsFile] = process.argv;
if (startsFile !== undefined) appendFileSync(startsFile, `${process.pid}\n`);
const isFirst = startsFile === undefined || readFileSync(startsFile, "utf8").trim().split("\n").length === 1;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Record<string, unknown>;
    readonly [key: string]: unknown;
  };
}

const write = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const answer = (id: Message["id"], result: unknown): void => write({ jsonrpc: "2.0", id, result });
const refuse = (id: Message["id"], code: number, message: string, data?: unknown): void =>
  write({ jsonrpc: "2.0", id, error: { code, message, data } });
const notify = (method: string, params?: unknown): void => write({ jsonrpc: "2.0", method, params });
const text = (value: string) => ({ content: [{ type: "text", text: value }], resultType: "complete" });

const seen: string[] = [];
let polls = 0;

const calls: Record<string, (message: Message) => void> = {
  echo: ({ id, params }) => answer(id, text(String(params?.arguments?.message))),
  hang: () => {},
  die: () => process.kill(process.pid, "SIGKILL"),
  long: ({ id }) => answer(id, text("x".repeat(11 * 1_048_576))),
  deep: ({ id }) =>
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${id},"result":${'{"a":'.repeat(5_000)}1${"}".repeat(5_001)}\n`,
    ),
  proto: ({ id }) =>
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"__proto__":{"isAdmin":true}}}\n`),
  "wrong-id": () => answer(424_242, text("for nobody")),
  "text-id": ({ id }) => answer(String(id), text("as text")),
  twice: ({ id }) => {
    answer(id, text("first"));
    answer(id, text("second"));
  },
  nothing: ({ id }) => write({ jsonrpc: "2.0", id, result: null }),
  refusal: ({ id }) => refuse(id, -32_050, `no\u0000 ${"way ".repeat(500)}`, { hint: "later" }),
  noise: ({ id, params }) => {
    for (let i = 0; i < Number(params?.arguments?.lines); i++) process.stdout.write(`hello ${i}\n`);
    answer(id, text("after noise"));
  },
  flood: ({ id, params }) => {
    for (let i = 0; i < Number(params?.arguments?.count); i++)
      notify("notifications/message", { level: "info", data: i });
    answer(id, text("after flood"));
  },
  unknown: ({ id }) =>
    answer(id, { ...text("whole"), strange: { kept: true }, content: [{ type: "hologram", x: 1 }] }),
  stderr: ({ params }) => {
    for (let i = 0; i < 100; i++) process.stderr.write(`line ${i} ${process.env.SECRET ?? ""}\n`);
    if (params?.arguments?.die === true) process.exit(3);
  },
  grandchild: ({ id }) => {
    const child = spawn(process.execPath, [
      "-e",
      "process.on('SIGTERM',()=>{});setInterval(()=>{},1e3);console.log('up')",
    ]);
    child.stdout.once("data", () => answer(id, text(String(child.pid))));
  },
  ask: ({ id }) =>
    answer(id, {
      resultType: "input_required",
      inputRequests: { name: { method: "elicitation/create", params: { message: "Who?" } } },
      requestState: "s",
    }),
  "close-output": () => {
    closeSync(1);
    // allow-sleep: the process stays alive
    setInterval(() => {}, 1_000);
  },
  mystery: ({ id }) => answer(id, { resultType: "mystery", content: [] }),
  seen: ({ id }) => answer(id, text(seen.join(" "))),
  task: ({ id, params }) => {
    if (behaviors.has("modern")) {
      answer(id, {
        resultType: "task",
        taskId: "t1",
        status: "working",
        createdAt: "",
        lastUpdatedAt: "",
        ttlMs: null,
        pollIntervalMs: 20,
      });
    } else if (params?.task === undefined) {
      refuse(id, -32_600, "this tool must be called as a task");
    } else {
      answer(id, {
        task: {
          taskId: "t1",
          status: "working",
          createdAt: "",
          lastUpdatedAt: "",
          ttl: null,
          pollInterval: 20,
        },
      });
    }
  },
};

const taskState = (): Record<string, unknown> => {
  polls++;
  const task = {
    resultType: "complete",
    taskId: "t1",
    createdAt: "",
    lastUpdatedAt: "",
    ttlMs: null,
    pollIntervalMs: 20,
  };
  const question = {
    method: "elicitation/create",
    params: { message: "Sure?", requestedSchema: { type: "object", properties: {} } },
  };
  if (behaviors.has("endless")) return { ...task, status: "working", statusMessage: "still at it" };
  if (behaviors.has("asks") && !seen.includes("tasks/update"))
    return { ...task, status: "input_required", inputRequests: { sure: question } };
  return polls < 3
    ? { ...task, status: "working" }
    : { ...task, status: "completed", result: text("task done") };
};

const methods: Record<string, (message: Message) => void> = {
  initialize: ({ id }) =>
    behaviors.has("modern") && !behaviors.has("both")
      ? refuse(id, -32_022, "too old", { supported: ["2026-07-28"] })
      : answer(id, {
          protocolVersion: behaviors.has("future") ? "2099-01-01" : "2025-06-18",
          capabilities: { tools: {}, tasks: {} },
          serverInfo: { name: "raw", version: "0" },
        }),
  "tools/list": ({ id, params }) => {
    const page = Number(params?.cursor ?? 0);
    const tools = [
      {
        name: `tool-${page}`,
        inputSchema: { type: "object" },
        odd: true,
        ...(page === 0 ? { execution: { taskSupport: "required" }, name: "task" } : {}),
      },
    ];
    const isSlow = behaviors.has("slow-pages");
    const another = behaviors.has("endless-pages") ? String((page + 1) % 5) : String(page + 1);
    const result = {
      resultType: "complete",
      tools: [...tools, ...(page === 1 ? [{ nameless: true }] : [])],
      nextCursor: behaviors.has("endless-pages") || isSlow || page < 2 ? another : undefined,
      ttlMs: 5_000,
      cacheScope: "private",
    };
    // allow-sleep: pages that arrive slowly
    setTimeout(() => answer(id, result), isSlow ? 40 : 0);
  },
  "tools/call": (message) => (calls[message.params?.name ?? ""] ?? calls.hang)?.(message),
  "tasks/get": ({ id }) => answer(id, taskState()),
  "tasks/result": ({ id }) => answer(id, text("task done")),
  "tasks/update": ({ id }) => answer(id, { resultType: "complete" }),
  "tasks/cancel": ({ id }) => answer(id, { resultType: "complete" }),
};

const discover = ({ id }: Message): void =>
  answer(id, {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
    ttlMs: 0,
    cacheScope: "private",
  });

if (behaviors.has("banner")) process.stdout.write("Welcome to the raw server!\n\n{not json\n");
if (behaviors.has("stubborn")) {
  process.on("SIGTERM", () => {});
  // allow-sleep: the process stays alive
  setInterval(() => {}, 1_000);
}

/** Like a server that loads a lot before it reads: requests wait meanwhile. */
if (behaviors.has("chatty")) process.stderr.write("starting\n");
const startMs = Number([...behaviors].find((habit) => habit.startsWith("starts-in-"))?.slice(10) ?? 0);
// allow-sleep: a server that starts slowly
if (startMs > 0) await new Promise((resolve) => setTimeout(resolve, startMs));

let delayedProbe: Message | undefined;
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message;
  seen.push(message.method ?? "answer");
  if (message.method === "server/discover" && behaviors.has("modern")) {
    // Slow on its first start: the probe is read when the next message is there.
    if (behaviors.has("slow") && isFirst) delayedProbe = message;
    else discover(message);
    return;
  }
  if (delayedProbe !== undefined) discover(delayedProbe);
  delayedProbe = undefined;
  if (message.method === undefined || message.id === undefined) return;
  const known = methods[message.method];
  if (known !== undefined) known(message);
  else if (behaviors.has("exit-on-unknown")) process.exit(1);
  else if (!behaviors.has("silent")) refuse(message.id, -32_601, "Method not found");
});
