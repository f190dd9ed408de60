import type { Position } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";
import { diagnosticAt } from "./diagnostic-at.ts";

export interface Containment {
  readonly from: string;
  readonly to: string;
  readonly at: Position | undefined;
}

interface ElementVisit {
  readonly name: string;
  next: number;
}

/** Linear time. */
export const findCycles = (links: readonly Containment[]): readonly Diagnostic[] => {
  const elements = Map.groupBy(links, ({ from }) => from);
  const state = new Map<string, "open" | "done">();
  const found: Diagnostic[] = [];
  for (const name of elements.keys()) {
    if (state.has(name)) continue;
    const stack: ElementVisit[] = [{ name, next: 0 }];
    state.set(name, "open");
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const link = elements.get(visit.name)?.[visit.next++];
      if (link === undefined) {
        state.set(visit.name, "done");
        stack.pop();
      } else if (state.get(link.to) === "open") found.push(cycleDiagnostic(link));
      else if (!state.has(link.to)) {
        state.set(link.to, "open");
        stack.push({ name: link.to, next: 0 });
      }
    }
  }
  return found;
};

const cycleDiagnostic = ({ from, to, at }: Containment): Diagnostic => {
  const message =
    from === to
      ? `Expected \`${to}\` not to contain itself, found it among its own elements.`
      : `Expected \`${to}\` not to contain itself, found it inside \`${from}\`, which it contains.`;
  return diagnosticAt(
    at,
    "self-containment",
    message,
    "Remove the reference, or join the two with an arrow.",
  );
};
