import * as Cause from "effect/Cause";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { checkOptions } from "../runtime/check-options.ts";
import type { HaftOptions } from "../runtime/haft-options.ts";
import { readPrincipal } from "../runtime/read-principal.ts";
import { type ToolServices, toolRuntimeLayer } from "../runtime/tool-runtime-layer.ts";
import type { Principal } from "../types/principal.ts";

export interface OpenServicesResult extends AsyncDisposable {
  readonly services: Context.Context<ToolServices>;
  readonly principal: Principal | undefined;
}

export const openServices = async (options: HaftOptions): Promise<OpenServicesResult> => {
  checkOptions(options);
  const principal = readPrincipal(options.principal);
  const runtime = ManagedRuntime.make(toolRuntimeLayer({ ...options, principal } as never));
  const exit = await Effect.runPromiseExit(runtime.contextEffect);
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause);
  const { ledger, mcp } = options;
  const mcpServices =
    mcp === undefined
      ? undefined
      : await (await loadMcpServices()).openMcpServices(exit.value, mcp, principal);
  return {
    services: exit.value,
    principal,
    [Symbol.asyncDispose]: async () => {
      await mcpServices?.close();
      await runtime.dispose();
      // A store that the configuration opened would keep the process alive.
      if (typeof ledger === "object") await ledger.end?.();
    },
  };
};

const loadMcpServices = () => import("../runtime/mcp-services.ts");
