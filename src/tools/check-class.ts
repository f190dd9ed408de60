import { isRecord } from "../base/schema/is-record.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import { type ClassDefinition, definitionSlot, readSlot } from "./class-definition.ts";
import type { ToolClass } from "./class-implementation.ts";
import { ToolComponent } from "./tool-component.ts";

/** A decorator without parentheses receives the class. */
export const checkDefinition = (definition: unknown): void => {
  if (isRecord(definition)) return;
  throw new ToolDefinitionError(
    "invalid_definition",
    "@Tool needs a definition: write @Tool({ description: …, parameters: … }) before the class.",
  );
};

export const checkTarget = (target: unknown, context: unknown): void => {
  const isClass =
    typeof target === "function" &&
    (context === undefined || (context as { readonly kind?: unknown } | null)?.kind === "class");
  if (isClass) return;
  throw new ToolDefinitionError(
    "invalid_definition",
    "@Tool({ … }) stands before a class, and nowhere else.",
  );
};

export const checkClass = (Class: ToolClass, name: string): void => {
  const known = readSlot(Class, definitionSlot) as ClassDefinition | undefined;
  if (known !== undefined) {
    throw invalid(name, `is the class of the tool "${known.name}" already; decorate a subclass of it`);
  }
  if (Object.hasOwn(Class, "getDefinition")) {
    throw invalid(name, "has a static getDefinition of its own, which @Tool provides; remove it");
  }
  const run: unknown = Class.prototype?.run;
  if (typeof run === "function" && run !== ToolComponent.prototype.run) return;
  throw invalid(
    name,
    "has no code: its class needs a method `run(input, context) { … }` (a field that holds a function is not seen here)",
  );
};

export const checkCode = (definition: object, name: string): void => {
  const code = ["run", "implementation"].find((field) => field in definition);
  if (code === undefined) return;
  throw invalid(name, `has a field \`${code}\`, but its code is the class; leave the field out`);
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });
