import { Worker } from "node:worker_threads";
import { readFrames } from "./frames.ts";
import { guestSource } from "./guest-source.ts";
import type { OpenEngine } from "./open-engine.ts";

const workerSource = `
const { parentPort } = require("node:worker_threads");
let onText;
const setListener = (listener) => { onText = listener; };
const say = (text) => parentPort.postMessage(text);
${guestSource}
parentPort.on("message", (text) => {
  if (onText) onText(text);
  else startProgram(JSON.parse(text)).then(() => parentPort.unref());
});
`;

/** A worker with Node's memory limit and no other isolation. */
export const workerEngine: OpenEngine = (program) =>
  readFrames(program, (onFrame, onEnd) => {
    const worker = new Worker(workerSource, { eval: true });
    worker.on("message", (text: string) => onFrame(text));
    worker.on("error", () => onEnd());
    worker.on("exit", () => onEnd());
    return { say: (text) => worker.postMessage(text), end: () => void worker.terminate() };
  });
