import * as Clock from "effect/Clock";
import * as ConfigProvider from "effect/ConfigProvider";
import * as Console from "effect/Console";
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import * as Random from "effect/Random";
import * as References from "effect/References";
import * as Scheduler from "effect/Scheduler";
import * as Scope from "effect/Scope";
import * as Tracer from "effect/Tracer";
import { TraceHeaders } from "../base/http/trace-headers.ts";
import { Approver } from "../types/approval.ts";
import { CurrentCall } from "../types/call.ts";
import { CurrentMcpCaller } from "../types/mcp.ts";
import { CurrentPrincipal } from "../types/principal.ts";

/** Services of a fiber, which callers must not inherit from the fiber that built the runtime. */
const fiberLocalKeys: ReadonlySet<string> = new Set(
  [
    ...Object.values(References),
    Clock.Clock,
    ConfigProvider.ConfigProvider,
    Console.Console,
    Random.Random,
    Scheduler.Scheduler,
    Scheduler.MaxOpsBeforeYield,
    Scheduler.PreventSchedulerYield,
    Scope.Scope,
    Layer.CurrentMemoMap,
    Tracer.Tracer,
    Tracer.ParentSpan,
    Tracer.DisablePropagation,
    Tracer.CurrentTraceLevel,
    Tracer.MinimumTraceLevel,
    TraceHeaders,
    Approver,
    CurrentCall,
    CurrentMcpCaller,
    CurrentPrincipal,
  ].map(({ key }) => key),
);

export const ambientServices = (context: Context.Context<never>): Context.Context<never> =>
  Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => !fiberLocalKeys.has(key))));
