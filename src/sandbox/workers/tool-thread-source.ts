/** A string, because a bundle would not include a file. The tool's module is loaded by URL. */
export const toolThreadSource = `
const { parentPort, workerData } = require("node:worker_threads");
const { url, file, name } = workerData;
const post = (message) => parentPort.postMessage(message);
const textOf = (error) => String(error?.message ?? error);
const errorInfo = (error) => ({
  kind: "error",
  name: typeof error?.name === "string" ? error.name : "Error",
  message: textOf(error),
  ...(typeof error?.retryAfterMs === "number" ? { retryAfterMs: error.retryAfterMs } : {}),
});
let call;
let requests = 0;
const secrets = new Map();
const secretOf = (number) => (name) =>
  new Promise((resolve, reject) => {
    const request = ++requests;
    secrets.set(request, { resolve, reject });
    post({ kind: "secret", number, value: String(name), request });
  });
const takeSecret = ({ request, value, error }) => {
  const waiting = secrets.get(request);
  secrets.delete(request);
  if (error === undefined) waiting?.resolve(value);
  else waiting?.reject(new Error(error));
};
const run = async (tool, { number, input, context }) => {
  const controller = new AbortController();
  call = { number, controller };
  const say = (kind) => (value) => {
    if (call?.number === number) post({ kind, number, value });
  };
  const given = {
    ...context,
    env: undefined,
    signal: controller.signal,
    progress: say("progress"),
    note: say("note"),
    cost: say("cost"),
    secret: secretOf(number),
  };
  let ending;
  try {
    ending = { kind: "value", value: await tool(input, given) };
  } catch (error) {
    ending = errorInfo(error);
  }
  call = undefined;
  try {
    post({ ...ending, number });
  } catch (error) {
    const message = "its value cannot be sent from the worker: " + textOf(error);
    post({ kind: "error", number, name: "TypeError", message });
  }
};
import(url).then(
  (module) => {
    const tool = module[name];
    if (typeof tool !== "function") throw new TypeError(file + " does not export a function named \\"" + name + "\\"");
    parentPort.on("message", (message) => {
      if (message.kind === "call") run(tool, message);
      else if (message.kind === "secret") takeSecret(message);
      else if (message.number === call?.number) call.controller.abort();
    });
    post({ kind: "ready" });
  },
).catch((error) => {
  // Thrown later, so that the host receives it as an error event of the worker.
  setImmediate(() => { throw error; });
});
`;
