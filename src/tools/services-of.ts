import type * as Effect from "effect/Effect";
import type { Implementation } from "../types/tool.ts";
import type { ToolClass } from "./class-implementation.ts";

export type ServicesOf<T> = T extends { readonly implementation: Implementation<infer R> }
  ? R
  : T extends ToolClass
    ? ServicesOfRun<T>
    : never;

type ServicesOfRun<T extends ToolClass> =
  ReturnType<InstanceType<T>["run"]> extends Effect.Effect<infer _A, infer _E, infer R> ? R : never;
