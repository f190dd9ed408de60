// A tool of our own beside those of the servers. What it is given leaves the house.
import { tool } from "haft";

export const publish = tool({
  name: "publish",
  description: "Publishes a text on the notice board in the hall",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  annotations: { openWorld: true },
  run: ({ text }) => ({ published: text.length }),
});
