import { AsyncLocalStorage } from "node:async_hooks";
import { defineConfig, Haft, tool } from "haft";

// Where no call is under way: only the passed context says whose call the inner one is part of, and a
// second copy of the package would not know it.
const outsideOfCalls = AsyncLocalStorage.snapshot();

const web = tool({
  name: "web",
  description: "Reads a page",
  input: [],
  annotations: { readOnly: true, openWorld: true },
  run: () => "untrusted content",
});

const outer = tool({
  name: "outer",
  description: "Calls another tool",
  input: [],
  annotations: { readOnly: true },
  run: async (_, context) => {
    const haft = await Haft.open({ tools: [web], principal: { agent: "opener", allow: ["*"] } });
    return outsideOfCalls(() => haft.call("web", {}, { parent: context }));
  },
});

export default defineConfig({ tools: [outer], principal: { agent: "ada", allow: ["*"] } });
