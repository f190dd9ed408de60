import type { CallContext } from "../types/call.ts";
import type { AnyTool, Implementation } from "../types/tool.ts";
import { instanceState, isSameState } from "./instance-state.ts";
import { runImplementation } from "./run-implementation.ts";

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
      throw new TypeError(`the constructor of ${Class.name} gives the same object for every call`);
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
        `the arguments of ${Class.name} were changed after they were validated; give others to run()`,
      );
    }
    if (isSameState(prepared.state, instanceState(prepared.instance, "run"))) return prepared;
    context.note("the instance was changed after its arguments were validated: a new one is made of them");
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
