import { copyJson } from "../base/json/copy-json.ts";
import { freezeJson } from "../base/json/json-value.ts";
import type { CallContext } from "../types/call.ts";
import type { JsonSchema } from "../types/json.ts";
import type { AnyTool, Implementation, ToolSpec } from "../types/tool.ts";
import { runImplementation, type ToolDescription } from "./tool-definition.ts";

type RunMethod = (input: unknown, context: CallContext) => unknown;

/** The constructor takes the validated arguments. */
export type ToolClass = new (
  input: never,
) => { readonly run: (input: never, context: CallContext) => unknown };

export interface ClassImplementation extends Implementation<unknown> {
  readonly _tag: "class";
  /** For messages. */
  readonly className: string;
  readonly prepare: (input: unknown) => object;
}

interface PreparedInstance {
  readonly instance: object;
  readonly state: readonly unknown[] | undefined;
  readonly inputState: readonly unknown[] | undefined;
  /** The instance may be changed before it runs. */
  readonly run: RunMethod;
}

/**
 * One instance per run. An inspected instance runs the first call with the same input, unless it was changed:
 * only the arguments were validated and approved.
 */
export const classImplementation = (Class: ToolClass): ClassImplementation => {
  const preparedByInput = new WeakMap<object, PreparedInstance>();

  /** Their `run` enters the call pipeline for one call. */
  const inspectedInstances = new WeakSet<object>();

  const construct = (input: unknown): PreparedInstance => {
    const instance = new Class(input as never);
    if (inspectedInstances.has(instance)) {
      throw new TypeError(`the constructor of ${Class.name} returns the same object for every call`);
    }
    return { instance, state: undefined, inputState: undefined, run: instance.run as RunMethod };
  };

  const withState = (prepared: PreparedInstance, input: object): PreparedInstance => ({
    ...prepared,
    state: instanceState(prepared.instance, "run"),
    inputState: instanceState(input),
  });

  const prepare = (input: unknown): object => {
    const known = hasIdentity(input) ? preparedByInput.get(input) : undefined;
    const prepared = known ?? construct(input);
    if (known === undefined && hasIdentity(input)) preparedByInput.set(input, withState(prepared, input));
    inspectedInstances.add(prepared.instance);
    return prepared.instance;
  };

  const unchanged = (prepared: PreparedInstance, input: object, context: CallContext): PreparedInstance => {
    // Output of an author's schema is not frozen.
    if (!isSameState(prepared.inputState, instanceState(input))) {
      throw new TypeError(
        `the arguments of ${Class.name} were changed after they were validated; pass changed arguments to run() instead`,
      );
    }
    if (isSameState(prepared.state, instanceState(prepared.instance, "run"))) return prepared;
    context.note("the instance was changed after its arguments were validated");
    return construct(input);
  };

  const { bind } = runImplementation<unknown>((input: object, context) => {
    const prepared = preparedByInput.get(input);
    preparedByInput.delete(input);
    const { instance, run } = prepared === undefined ? construct(input) : unchanged(prepared, input, context);
    return Reflect.apply(run, instance, [input, context]);
  });

  return Object.freeze({ _tag: "class", className: Class.name, bind, prepare });
};

export const classNameOf = (tool: AnyTool): string | undefined => {
  const { _tag, className } = tool.implementation as Partial<ClassImplementation>;
  return _tag === "class" && typeof className === "string" ? className : undefined;
};

const hasIdentity = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Larger state counts as changed. */
const maxStateSize = 2_000_000;

/** Compares plain data by identity, without calling getters. */
const instanceState = (root: object, without?: string): readonly unknown[] | undefined => {
  const state: unknown[] = [];
  const found = new Set<object>([root]);
  const keep = (value: unknown): void => {
    state.push(value);
    if (isData(value)) found.add(value);
  };
  try {
    for (const each of found) {
      state.push(Object.getPrototypeOf(each));
      for (const key of Reflect.ownKeys(each)) {
        if (each === root && key === without) continue;
        const field = Object.getOwnPropertyDescriptor(each, key);
        state.push(key);
        if (field !== undefined && "value" in field) keep(field.value);
        else state.push(field?.get, field?.set);
      }
      if (each instanceof Map) for (const [key, value] of each) for (const one of [key, value]) keep(one);
      else if (each instanceof Set) for (const value of each) keep(value);
      else if (each instanceof Date) state.push(each.getTime());
      if (state.length > maxStateSize) return undefined;
    }
    return state;
  } catch {
    return undefined;
  }
};

const isSameState = (one: readonly unknown[] | undefined, other: readonly unknown[] | undefined) =>
  one !== undefined &&
  one.length === other?.length &&
  one.every((value, index) => Object.is(value, other[index]));

const isData = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Array.isArray(value) ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date
  );
};

export interface ClassDefinition
  extends Omit<
    ToolDescription<string, JsonSchema, JsonSchema>,
    "type" | "input" | "timeout" | "validator" | "layers" | "key" | "reconcile"
  > {
  readonly type: "function";
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Global, so that all copies of this package recognize decorated classes. */
export const definitionSlot: unique symbol = Symbol.for("haft/tool:definition") as never;

/** Schemas as JSON Schema, and without code. */
export const toClassDefinition = (given: object, spec: ToolSpec): ClassDefinition => {
  const { input, parameters, output, timeout, validator, layers, key, reconcile, ...said } = given as Record<
    string,
    unknown
  >;
  const copy = copyJson(said);
  return freezeJson({
    type: "function",
    ...(copy.ok ? (copy.value as object) : {}),
    name: spec.name,
    description: spec.description,
    ...(spec.noSchemaMode === undefined ? { parameters: spec.input } : {}),
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(spec.timeoutMs === undefined ? {} : { timeout: spec.timeoutMs }),
  });
};

/** Subclasses do not inherit it. */
export const readSlot = (value: unknown, slot: symbol): unknown =>
  typeof value === "function" && Object.hasOwn(value, slot)
    ? (value as unknown as Readonly<Record<symbol, unknown>>)[slot]
    : undefined;
