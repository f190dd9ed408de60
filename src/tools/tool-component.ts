import type { CallContext } from "../types/call.ts";
import type { ClassDefinition } from "./class-definition.ts";

/** On the prototype of every decorated class, from whichever copy of this package. */
export const componentBrand: unique symbol = Symbol.for("haft/ToolComponent") as never;

/**
 * What every class becomes that `@Tool` decorates. To extend it is optional: it tells the compiler of
 * `getDefinition`. The constructor receives the validated arguments, and nothing else.
 */
export class ToolComponent {
  // biome-ignore lint/complexity/noUselessConstructor: it says what a subclass may call it with
  constructor(_input?: unknown) {}

  /** The decorator puts another in its place, which a subclass inherits. */
  static getDefinition(): ClassDefinition | undefined {
    return undefined;
  }

  run(_params?: unknown, _context?: CallContext): Promise<unknown> {
    return Promise.resolve();
  }

  /** A decorated class has its author's class for a parent, so its instances are known by their brand. */
  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this and asks for itself
    return isInstance(this, value);
  }
}

const isInstance = (asked: unknown, value: unknown): boolean => {
  if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
  return asked === ToolComponent && typeof value === "object" && value !== null && componentBrand in value;
};
