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
  /** Its fields that are named like arguments, as its constructor left them. */
  readonly fields: string | undefined;
  /** As it was when the instance came to be: whoever holds the instance may put another in its place. */
  readonly run: MethodCode;
}

/**
 * One instance for each run. The instance that an orchestrator was shown is the one that answers the first run
 * of the same input, unless somebody changed what was validated; a second attempt begins with a new one. What a
 * constructor throws is a failure of the tool.
 */
export const classImplementation = (Class: ToolClass): ClassImplementation => {
  const waiting = new WeakMap<object, PreparedInstance>();

  /** Their `run` leads down the corridor for one call, so none of them may answer for another. */
  const shown = new WeakSet<object>();

  const construct = (input: unknown): PreparedInstance => {
    const instance = new Class(input as never);
    if (shown.has(instance)) {
      throw new TypeError(`the constructor of ${Class.name} gives the same object for every call`);
    }
    return { instance, fields: fieldsOf(instance, input), run: instance.run as MethodCode };
  };

  const prepare = (input: unknown): object => {
    const known = isObject(input) ? waiting.get(input) : undefined;
    const prepared = known ?? construct(input);
    if (isObject(input)) waiting.set(input, prepared);
    shown.add(prepared.instance);
    return prepared.instance;
  };

  const { bind } = runImplementation<unknown>((input: object, context) => {
    const prepared = waiting.get(input);
    waiting.delete(input);
    if (prepared !== undefined && prepared.fields !== fieldsOf(prepared.instance, input)) {
      throw new TypeError(
        `the instance of ${Class.name} was changed after its arguments were validated; give other arguments to run()`,
      );
    }
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

/** What an instance holds under the names of its arguments; nothing where that cannot be told. */
const fieldsOf = (instance: object, input: unknown): string | undefined => {
  if (!isObject(input)) return undefined;
  try {
    return JSON.stringify(
      Object.keys(input).map((name) => {
        const field = Object.getOwnPropertyDescriptor(instance, name);
        return field !== undefined && "value" in field ? [name, typeof field.value, field.value] : name;
      }),
    );
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
