import type { CallContext } from "../types/call.ts";
import type { AnyTool, Implementation } from "../types/tool.ts";
import { instanceState, isSameState } from "./instance-state.ts";
import { runImplementation } from "./run-implementation.ts";

type RunMethod = (input: unknown, context: CallContext) => unknown;

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
  /** As its constructor left it, and what it was made of. */
  readonly state: readonly unknown[] | undefined;
  readonly inputState: readonly unknown[] | undefined;
  /** As it was when the instance came to be: whoever holds the instance may put another in its place. */
  readonly run: RunMethod;
}

/**
 * One instance for each run. The instance that an orchestrator was shown is the one that answers the first run of the
 * same input, unless somebody changed it: then a new one is made of the arguments, which alone were validated, shown
 * to policy and approved. A second attempt begins with a new one too. What a constructor throws is a failure of the tool.
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
    return { instance, state: undefined, inputState: undefined, run: instance.run as RunMethod };
  };

  /** What can be changed by whoever is shown the instance is remembered. */
  const remember = (prepared: PreparedInstance, input: object): PreparedInstance => ({
    ...prepared,
    state: instanceState(prepared.instance, "run"),
    inputState: instanceState(input),
  });

  const prepare = (input: unknown): object => {
    const known = hasIdentity(input) ? waiting.get(input) : undefined;
    const prepared = known ?? construct(input);
    if (known === undefined && hasIdentity(input)) waiting.set(input, remember(prepared, input));
    shown.add(prepared.instance);
    return prepared.instance;
  };

  const unchanged = (prepared: PreparedInstance, input: object, context: CallContext): PreparedInstance => {
    // What an author's schema made of the arguments is no frozen JSON, and the instance may have given it away.
    if (!isSameState(prepared.inputState, instanceState(input))) {
      throw new TypeError(
        `the arguments of ${Class.name} were changed after they were validated; give others to run()`,
      );
    }
    if (isSameState(prepared.state, instanceState(prepared.instance, "run"))) return prepared;
    context.note("the instance was changed after its arguments were validated: a new one is made of them");
    return construct(input);
  };

  const { bind } = runImplementation<unknown>((input: object, context) => {
    const prepared = waiting.get(input);
    waiting.delete(input);
    const { instance, run } = prepared === undefined ? construct(input) : unchanged(prepared, input, context);
    return Reflect.apply(run, instance, [input, context]);
  });

  return Object.freeze({ _tag: "class", className: Class.name, bind, prepare });
};

/** Which class answers for a tool, if one does. */
export const classNameOf = (tool: AnyTool): string | undefined => {
  const { _tag, className } = tool.implementation as Partial<ClassImplementation>;
  return _tag === "class" && typeof className === "string" ? className : undefined;
};

/** Lists too: what a schema made of the arguments may be one. */
const hasIdentity = (value: unknown): value is object => typeof value === "object" && value !== null;
