import { readPart } from "../base/json/read-part.ts";
import type { ViolationCode } from "./violations.ts";

type ReportViolation = (code: ViolationCode, index: number, message: string) => void;

const maxParts = 1_000;

export const checkMessageParts = (
  report: ReportViolation,
  index: number,
  parts: readonly unknown[],
): void => {
  if (parts.length > maxParts) {
    report(
      "too_many_parts",
      index,
      `Message ${index} has ${parts.length} parts; the maximum is ${maxParts}.`,
    );
    return;
  }
  for (let place = 0; place < parts.length; place++) {
    const why = partProblem(parts[place]);
    if (why !== undefined) report("bad_part", index, `Part ${place} of message ${index} ${why}.`);
  }
};

const partProblem = (part: unknown): string | undefined => {
  try {
    const reading = readPart(part);
    return reading.ok ? undefined : reading.why;
  } catch {
    return "cannot be read";
  }
};

export const isEmptyList = (content: unknown): boolean =>
  Array.isArray(content) && content.every((part) => isBlankText(part));

const isBlankText = (part: unknown): boolean => {
  const { kind, text } = readPartFields(part);
  return kind === "text" && typeof text === "string" && !/\S/.test(text);
};

const readPartFields = (part: unknown): { readonly kind?: unknown; readonly text?: unknown } => {
  try {
    const { kind, text } = (part ?? {}) as { readonly kind?: unknown; readonly text?: unknown };
    return { kind, text };
  } catch {
    return {};
  }
};
