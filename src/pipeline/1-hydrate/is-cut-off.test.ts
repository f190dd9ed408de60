import { expect, it } from "vitest";
import { isCutOff } from "./is-cut-off.ts";

it.each([
  "incomplete",
  "length",
  "LENGTH",
  "max_tokens",
  "MAX_TOKENS",
  "max_output_tokens",
  "content_filter",
  "model_context_window_exceeded",
])("%s says that a call was cut off", (finish) => {
  expect(isCutOff(finish)).toBe(true);
});

it.each(["complete", "stop", "tool_calls", "tool_use", "STOP", "", undefined, null, 5, {}])(
  "%j does not say that a call was cut off",
  (finish) => {
    expect(isCutOff(finish)).toBe(false);
  },
);
