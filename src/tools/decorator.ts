import type { SchemaOutput, SchemaSource } from "../base/schema/infer.ts";
import type { CallContext } from "../types/call.ts";
import type { AnyTool, Tool as ToolValue } from "../types/tool.ts";
import { checkClass, checkCode, checkDefinition, checkTarget } from "./check-class.ts";
import { type ClassDefinition, definitionSlot, readSlot, toClassDefinition } from "./class-definition.ts";
import { classImplementation, type ToolClass } from "./class-implementation.ts";
import { tool } from "./tool.ts";
import { componentBrand } from "./tool-component.ts";
import type { RunCode, ToolDescription } from "./tool-definition.ts";

/** The tool as a value. It shares its name with the decorator: one is a type, the other a function. */
export type Tool<Name extends string = string, In = unknown, Out = unknown, R = never> = ToolValue<
  Name,
  In,
  Out,
  R
>;

/** What `@Tool` is told about a class: as for `tool()`, less the code. */
export type ClassDescription<Input, Output> = Omit<ToolDescription<string, Input, Output>, "name"> & {
  /** The name of the class unless given. */
  readonly name?: string;
};

/** A class that takes what the schema lets through, and keeps the promise of the output schema, if there is one. */
type ClassForSchemas<Input, Output> = new (
  input: SchemaOutput<Input>,
) => {
  readonly run: RunCode<
    readonly [input: SchemaOutput<Input>, context: CallContext],
    Output,
    unknown,
    unknown
  >;
};

/** Shared with other copies of this package, like the definition. */
const toolSlot: unique symbol = Symbol.for("haft/tool") as never;

/**
 * Makes a tool of a class, as a standard decorator or under `experimentalDecorators`. The class that takes its
 * place is a subclass: what the author wrote stays as it is, and every check of `tool()` is made here.
 */
export const Tool = <
  const Input extends SchemaSource | undefined = undefined,
  const Output extends SchemaSource | undefined = undefined,
>(
  definition: ClassDescription<Input, Output>,
) => {
  checkDefinition(definition);
  return <Class extends ClassForSchemas<Input, Output>>(
    target: Class,
    context?: ClassDecoratorContext<Class>,
  ): Class => {
    checkTarget(target, context);
    const name = definition.name ?? (context?.name || target.name);
    checkClass(target, name);
    checkCode(definition, name);
    const Component = componentOf(target);
    const implementation = classImplementation(Component);
    const made = tool({ ...definition, ...approvalOf(definition), name, implementation } as never);
    const stored = toClassDefinition({ ...definition, name }, made.spec);
    Object.defineProperties(Component, {
      [definitionSlot]: { value: stored },
      [toolSlot]: { value: made },
      getDefinition: { value: () => stored },
    });
    reflectMetadata.defineMetadata?.("tool:definition", stored, Component);
    return Component as Class;
  };
};

/** A tool, or a class that `@Tool` made one. */
export type ToolOrClass = AnyTool | ToolClass;

/** The tool of a decorated class, always the same one. A subclass that is not decorated is no second tool. */
export const toTool = (value: unknown): AnyTool | undefined =>
  readSlot(value, toolSlot) as AnyTool | undefined;

/** The definition of a decorated class. A subclass that is not decorated has none of its own. */
export const definitionOf = (value: unknown): ClassDefinition | undefined =>
  readSlot(value, definitionSlot) as ClassDefinition | undefined;

/** There only where somebody loaded it. */
const reflectMetadata = Reflect as {
  readonly defineMetadata?: (key: string, value: unknown, target: object) => void;
};

const componentOf = (Class: ToolClass): ToolClass => {
  const Component = class extends Class {};
  Object.defineProperty(Component.prototype, componentBrand, { value: true });
  // Asked each time: static fields of a standard class come to be after its decorators.
  Object.defineProperties(Component, {
    name: { get: () => Class.name, configurable: true },
    length: { get: () => Class.length, configurable: true },
  });
  return Component;
};

/**
 * Tags are labels that anybody may copy, so none of them loosens anything: `read-only` does not say what
 * `annotations.readOnly` says, nor `full` what a waiver does. Asking a person more often is safe.
 */
const approvalOf = ({
  tags,
  requiresApproval,
}: Pick<ClassDescription<unknown, unknown>, "tags" | "requiresApproval">): object =>
  requiresApproval === undefined && Array.isArray(tags) && tags.includes("human-approval")
    ? { requiresApproval: true }
    : {};
