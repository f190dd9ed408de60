import { displayWidth, padToWidth } from "../../base/text/display-width.ts";
import type { BindFailure, BindingCheck, BindingExplanation, BoundTool } from "./binding.ts";

const statusMarks: Readonly<Record<BindingCheck["status"], string>> = {
  passed: "ok     ",
  failed: "FAILED ",
  noted: "differs",
  skipped: "-      ",
};

/** Formats one line per check, followed by one line per difference. */
export const bindingText = ({ name, mode, ok, checks }: BindingExplanation): string =>
  [
    `${name}: ${ok ? "bound" : "not bound"} (${mode})`,
    ...checks.flatMap((check) => [
      `  ${statusMarks[check.status]} ${check.check}`,
      ...differenceLines(check),
    ]),
  ].join("\n");

const differenceLines = ({ differences }: BindingCheck): readonly string[] => {
  const width = Math.max(0, ...differences.map(({ pointer }) => displayWidth(pointer)));
  return differences.map(
    ({ pointer, spec, library }) =>
      `          ${`${padToWidth(pointer, width)} `.trimStart()}spec: ${spec} | library: ${library}`,
  );
};

export const bindingsText = (bindings: readonly (BoundTool | BindFailure)[]): string => {
  const failed = bindings.filter(({ ok }) => !ok).length;
  const head = `${failed} of ${bindings.length} tool${bindings.length === 1 ? "" : "s"} cannot be bound.`;
  const lines = bindings.map((each) => (each.ok ? `${each.name}: bound` : bindingText(each.explanation)));
  return [head, ...lines].join("\n");
};
