import { expect, it } from "vitest";
import { isCutOff } from "./argument-messages.ts";

it.each([
  "incomplete",
  "length",
  "LENGTH",
  "max_tokens",
  "MAX_TOKENS",
  "max_output_tokens",
  "content_filter",
  "model_context_window_exceeded",
])("finish reason %s means that the call was truncated", (finish) => {
  expect(isCutOff(finish)).toBe(true);
});

it.each(["complete", "stop", "tool_calls", "tool_use", "STOP", "", undefined, null, 5, {}])(
  "finish reason %j does not mean that the call was truncated",
  (finish) => {
    expect(isCutOff(finish)).toBe(false);
  },
);
