import { parentPort, workerData } from "node:worker_threads";
import type { HostMessage, WorkerMessage } from "../worker-messages.ts";
import { installFixedDate } from "./fixed-date.ts";
import { loadQuickJs } from "./quickjs.ts";
import { QuickJsGuest } from "./quickjs-guest.ts";

/** Entry point of QuickJS workers. Each program has its own runtime. */
const port = parentPort!;
const shared = new Int32Array(workerData as SharedArrayBuffer);
const post = (message: WorkerMessage): void => port.postMessage(message);
let program = -1;
let guest: QuickJsGuest | undefined;

installFixedDate();
const quickjs = await loadQuickJs();

port.on("message", (message: HostMessage) => {
  if (message.kind === "start") {
    program = message.program;
    guest = new QuickJsGuest(quickjs, message.limits, shared, post);
    guest.start(message);
    return;
  }
  if (message.program !== program) return;
  if (message.kind === "answer") guest?.answer(message.number, message.value);
  else if (message.kind === "refusal") guest?.refuse(message.number, message.message, message.code);
  else guest?.end();
});
post({ kind: "ready" });
