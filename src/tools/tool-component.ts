import type { CallContext } from "../types/call.ts";
import type { ClassDefinition } from "./class-definition.ts";

/** Shared by all copies of this package. */
export const componentBrand: unique symbol = Symbol.for("haft/ToolComponent") as never;

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
