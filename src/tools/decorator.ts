import type { SchemaOutput, SchemaSource } from "../base/schema/infer.ts";
import { isRecord } from "../base/schema/plain/plain-schema.ts";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { AnyTool, Tool as ToolValue } from "../types/tool.ts";
import {
  type ClassDefinition,
  classImplementation,
  definitionSlot,
  readSlot,
  type ToolClass,
  toClassDefinition,
} from "./class-implementation.ts";
import { tool } from "./tool.ts";
import type { RunCode, ToolDescription } from "./tool-definition.ts";

/** The type of tools; the decorator `Tool` has the same name as a value. */
export type Tool<Name extends string = string, In = unknown, Out = unknown, R = never> = ToolValue<
  Name,
  In,
  Out,
  R
>;

/** The definition that `@Tool` takes: that of `tool()` without the code. */
export type ClassDescription<Input, Output> = Omit<ToolDescription<string, Input, Output>, "name"> & {
  /** The name of the class by default. */
  readonly name?: string;
};

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

const toolSlot: unique symbol = Symbol.for("haft/tool") as never;

/**
 * Makes a class a tool, as a standard decorator or with `experimentalDecorators`. Returns a subclass; the
 * original class is unchanged.
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

export type ToolOrClass = AnyTool | ToolClass;

/** Undecorated subclasses are not tools. */
export const toTool = (value: unknown): AnyTool | undefined =>
  readSlot(value, toolSlot) as AnyTool | undefined;

/** The definition of a decorated class; undefined for subclasses that are not decorated. */
export const definitionOf = (value: unknown): ClassDefinition | undefined =>
  readSlot(value, definitionSlot) as ClassDefinition | undefined;

/** Requires `reflect-metadata`. */
const reflectMetadata = Reflect as {
  readonly defineMetadata?: (key: string, value: unknown, target: object) => void;
};

const componentOf = (Class: ToolClass): ToolClass => {
  const Component = class extends Class {};
  Object.defineProperty(Component.prototype, componentBrand, { value: true });
  // Static fields are initialized after decorators run.
  Object.defineProperties(Component, {
    name: { get: () => Class.name, configurable: true },
    length: { get: () => Class.length, configurable: true },
  });
  return Component;
};

/** Shared by all copies of this package. */
const componentBrand: unique symbol = Symbol.for("haft/ToolComponent") as never;

/**
 * The base class of decorated classes. Extending it is optional and only makes `getDefinition` known to the
 * compiler. The constructor receives the validated arguments.
 */
export class ToolComponent {
  // biome-ignore lint/complexity/noUselessConstructor: it says what a subclass may call it with
  constructor(_input?: unknown) {}

  /** Overridden by the decorator; subclasses inherit it. */
  static getDefinition(): ClassDefinition | undefined {
    return undefined;
  }

  run(_params?: unknown, _context?: CallContext): Promise<unknown> {
    return Promise.resolve();
  }

  /** A decorated class extends its author's class, so its instances are recognized by their brand. */
  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this and asks for itself
    return isInstance(this, value);
  }
}

const isInstance = (asked: unknown, value: unknown): boolean => {
  if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
  return asked === ToolComponent && typeof value === "object" && value !== null && componentBrand in value;
};

/** Tags never relax a check; `human-approval` may add one. */
const approvalOf = ({
  tags,
  requiresApproval,
}: Pick<ClassDescription<unknown, unknown>, "tags" | "requiresApproval">): object =>
  requiresApproval === undefined && Array.isArray(tags) && tags.includes("human-approval")
    ? { requiresApproval: true }
    : {};

/** A decorator without parentheses receives the class. */
const checkDefinition = (definition: unknown): void => {
  if (isRecord(definition)) return;
  throw new ToolDefinitionError(
    "invalid_definition",
    "@Tool needs a definition: write @Tool({ description: …, parameters: … }) before the class.",
  );
};

const checkTarget = (target: unknown, context: unknown): void => {
  const isClass =
    typeof target === "function" &&
    (context === undefined || (context as { readonly kind?: unknown } | null)?.kind === "class");
  if (isClass) return;
  throw new ToolDefinitionError("invalid_definition", "@Tool({ … }) can only decorate a class.");
};

const checkClass = (Class: ToolClass, name: string): void => {
  const known = readSlot(Class, definitionSlot) as ClassDefinition | undefined;
  if (known !== undefined) {
    throw invalid(name, `is already the class of the tool "${known.name}"; decorate a subclass of it`);
  }
  if (Object.hasOwn(Class, "getDefinition")) {
    throw invalid(name, "has its own static getDefinition, which @Tool provides; remove it");
  }
  const run: unknown = Class.prototype?.run;
  if (typeof run === "function" && run !== ToolComponent.prototype.run) return;
  throw invalid(
    name,
    "has no code: its class needs a method `run(input, context) { … }` (a field with a function does not count)",
  );
};

const checkCode = (definition: object, name: string): void => {
  const code = ["run", "implementation"].find((field) => field in definition);
  if (code === undefined) return;
  throw invalid(name, `has a field \`${code}\`, but its code is the class; remove the field`);
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });
