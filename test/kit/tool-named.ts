import { tool } from "../../src/tools/tool.ts";
import type { AnyTool } from "../../src/types/tool.ts";

const templateTool = tool({
  name: "plain",
  description: "Does what its name says",
  input: { type: "object" },
  run: () => 1,
});

/** A tool with any name, including names that `tool` refuses. */
export const toolNamed = (name: string): AnyTool => ({
  ...templateTool,
  spec: { ...templateTool.spec, name },
});
