import type { SlicePaths } from "../../../base/json/raw-slices.ts";
import { ModelError } from "../../../types/errors.ts";
import { withArgumentText } from "./with-argument-text.ts";

export const unreadableReply = (what: string): ModelError =>
  new ModelError("model_unreadable", `The provider's answer cannot be read: ${what} is not JSON.`);

export const parseReply = (body: unknown, argumentPaths: SlicePaths | undefined): unknown => {
  if (typeof body !== "string") return body;
  const text = withArgumentText(body, argumentPaths);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadableReply("its body");
  }
};
