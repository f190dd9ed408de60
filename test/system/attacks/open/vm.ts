import { createContext, runInContext } from "node:vm";
import { type OpenEngine, OpenRun } from "./open-engine.ts";

/** `node:vm` as it is often used: host objects and functions go in, and any value comes out. */
export const vmEngine: OpenEngine = (program) => {
  const run = new OpenRun();
  const console = { log: run.print };
  const call = (name: string) => async (argument: unknown) => {
    const answer = await run.answer(program, name, JSON.stringify(argument));
    if (!answer.ok) throw new Error(answer.message);
    return JSON.parse(answer.value);
  };
  const tools = Object.fromEntries((program.functions ?? []).map((name) => [name, call(name)]));
  const text = `(async function (input, tools, console) {\n${program.source}\n})`;
  const start = runInContext(text, createContext({}));
  return new Promise((resolve, reject) => {
    start(program.input, tools, console).then(
      (value: unknown) => resolve(run.value(value)),
      (error: Error) => {
        try {
          resolve(run.error(error));
        } catch (thrown) {
          reject(thrown);
        }
      },
    );
  });
};
