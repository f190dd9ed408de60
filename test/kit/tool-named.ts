import { tool } from "../../src/tool/tool.ts";
import type { AnyTool } from "../../src/words/tool.ts";

const plain = tool({
  name: "plain",
  description: "Does what its name says",
  input: { type: "object" },
  run: () => 1,
});

/** A tool of any name, also of one that `tool` would refuse. */
export const named = (name: string): AnyTool => ({ ...plain, spec: { ...plain.spec, name } });
