// A local tool next to those of the servers. It sends its arguments outside.
import { tool } from "haft";

export const publish = tool({
  name: "publish",
  description: "Publishes a text on the notice board in the hall",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { openWorld: true },
  run: ({ text }) => ({ published: text.length }),
});
