import type { CallContext } from "../words/call.ts";
import type { AnyTool, Implementation } from "../words/tool.ts";
import { runImplementation } from "./run-implementation.ts";

type MethodCode = (input: unknown, context: CallContext) => unknown;

/** A class whose instances answer calls: the constructor takes the validated arguments. */
export type ToolClass = new (
  input: never,
) => { readonly run: (input: never, context: CallContext) => unknown };

export interface ClassImplementation extends Implementation<unknown> {
  readonly _tag: "class";
  /** For messages: two tools of one name may be two classes. */
  readonly className: string;
  /** Throws what the constructor throws. */
  readonly prepare: (input: unknown) => object;
}

interface PreparedInstance {
  readonly instance: object;
  /** As it was when the instance came to be: whoever holds the instance may put another in its place. */
  readonly run: MethodCode;
}

/**
 * One instance for each run. The instance that an orchestrator was shown is the one that answers the first run
 * of the same input; a second attempt begins with a new one. What a constructor throws is a failure of the tool.
 */
export const classImplementation = (Class: ToolClass): ClassImplementation => {
  const waiting = new WeakMap<object, PreparedInstance>();

  const construct = (input: unknown): PreparedInstance => {
    const instance = new Class(input as never);
    return { instance, run: instance.run as MethodCode };
  };

  const prepare = (input: unknown): object => {
    const known = isObject(input) ? waiting.get(input) : undefined;
    const prepared = known ?? construct(input);
    if (isObject(input)) waiting.set(input, prepared);
    return prepared.instance;
  };

  const { bind } = runImplementation<unknown>((input: object, context) => {
    const prepared = waiting.get(input);
    waiting.delete(input);
    const { instance, run } = prepared ?? construct(input);
    return Reflect.apply(run, instance, [input, context]);
  });

  return Object.freeze({ _tag: "class", className: Class.name, bind, prepare });
};

/** Which class answers for a tool, if one does. */
export const classNameOf = (tool: AnyTool): string | undefined => {
  const { _tag, className } = tool.implementation as Partial<ClassImplementation>;
  return _tag === "class" && typeof className === "string" ? className : undefined;
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
