import { parentPort, workerData } from "node:worker_threads";
import type { FromWorker, ToWorker } from "../wire.ts";
import { Guest } from "./guest.ts";
import { loadQuickJs } from "./quickjs.ts";
import { stopClock } from "./still-date.ts";

/** What a worker of the QuickJS engine runs: one program after the other, each in a runtime of its own. */
const port = parentPort!;
const shared = new Int32Array(workerData as SharedArrayBuffer);
const post = (message: FromWorker): void => port.postMessage(message);
let program = -1;
let guest: Guest | undefined;

stopClock();
const quickjs = await loadQuickJs();

port.on("message", (message: ToWorker) => {
  if (message.kind === "start") {
    program = message.program;
    guest = new Guest(quickjs, message.limits, shared, post);
    guest.start(message);
    return;
  }
  if (message.program !== program) return;
  if (message.kind === "answer") guest?.answer(message.number, message.value);
  else if (message.kind === "refusal") guest?.refuse(message.number, message.message, message.code);
  else guest?.end();
});
post({ kind: "ready" });
