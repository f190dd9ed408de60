import { agent } from "haft";

export const clerk = agent({
  name: "clerk",
  instructions: "You pay back what customers ask for.",
  model: "offline", // or "openai/gpt-5", with the package openai and a key in OPENAI_API_KEY
  tools: ["refund"],
});
