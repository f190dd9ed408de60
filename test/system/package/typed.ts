import { Haft, tool } from "haft";

const double = tool({
  name: "double",
  description: "Doubles a number",
  input: { type: "object", properties: { count: { type: "number" } }, required: ["count"] } as const,
  run: ({ count }) => count * 2,
});
const haft = await Haft.open({ tools: [double], principal: { agent: "clerk", allow: ["*"] } });
export const four: number = await haft.call("double", { count: 2 });
// @ts-expect-error A string is not a number.
await haft.call("double", { count: "two" });
