import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { type AgentStream, agentStream } from "../agent/agent-stream.ts";
import type { AgentRunOptions } from "../agent/read-run.ts";
import type { RunOptions } from "../agent/run-options.ts";
import type { SignIn, SignInAnswer } from "../base/credentials/oauth/sign-in.ts";
import { suggestName } from "../base/text/nearest.ts";
import type { Format } from "../models/dialects/formats.ts";
import { readEnvelope, refusedOutput, type ToolInput, type ToolOutput } from "../pipeline/envelope.ts";
import type { SettlementFinding } from "../pipeline/settle.ts";
import type { ResumeOptions, SingleCallOptions, TurnOptions } from "../pipeline/tools-service.ts";
import type { Explanation } from "../registry/name-resolver.ts";
import type { Offer } from "../registry/offer/offer.ts";
import { type ListedTool, type ToolFilter, type ToolPlace, toListed } from "../registry/place.ts";
import type { PickedTool, PickOptions } from "../registry/selection/pick-options.ts";
import type { ToolSearchResults } from "../registry/selection/search-index.ts";
import type { SearchOptions } from "../registry/selection/search-tools.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import type { Agent, AgentResponse, RunInput } from "../types/agent.ts";
import type { ApprovalDecision, ApprovalQuery, ApprovalRecord } from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import { ConfigurationError, type ToolError } from "../types/errors.ts";
import { type EventName, eventNames, type Listener } from "../types/event.ts";
import type { FleetEvent, FleetRuns, SubmitOptions, SubmittedRun, WaitOptions } from "../types/fleet.ts";
import type { HydrationResult } from "../types/hydration.ts";
import type { LedgerEntry, LedgerQuery } from "../types/ledger.ts";
import type { Reply } from "../types/outcome.ts";
import type { PolicyProblem } from "../types/policy-problem.ts";
import type { Principal } from "../types/principal.ts";
import type { CancelResult, RunQuery, RunSummary } from "../types/run-store.ts";
import type { ToolSpec } from "../types/tool.ts";
import { calledToolName, callOptionsError, checkCallOptions, turnOptionsProblem } from "./call-tool.ts";
import { approvalsOfCaller } from "./caller-records.ts";
import {
  checkOfferBudget,
  checkOfferOptions,
  type FormattedOffer,
  fitOfferToBudget,
  formatOffer,
  type OfferOptions,
  type QueriedOfferOptions,
  toolsInOffer,
} from "./formatted-offer.ts";
import { type HaftOptions, type RequireAllServices, toTools } from "./haft-options.ts";
import type { McpOptions } from "./mcp-options.ts";
import type { McpServers } from "./mcp-servers.ts";
import { rankToolNames } from "./offers-layer.ts";
import { openSharedRuntime } from "./open-shared-runtime.ts";
import { readPrincipal } from "./read-principal.ts";
import {
  callCancelledError,
  forkInRuntime,
  runInRuntime,
  runtimeClosedError,
  valueOrCancelled,
  valueOrThrow,
} from "./run-in-runtime.ts";
import type { OfferSearchContext } from "./search-offer.ts";
import { readSessionOptions, type SessionOptions } from "./session/session-options.ts";
import { Session } from "./session.ts";
import { type SharedRuntime, sharedRuntimes } from "./shared-runtime.ts";
import type { CallableName, CheckedToolName, OtherSources, ToolNameIn, TypesOf } from "./tool-types.ts";

type CallerOptions = Pick<SingleCallOptions, "principal" | "parent">;

/** A runtime for one principal, with a promise API. */
export class Haft<
  All extends readonly ToolOrClass[] = readonly ToolOrClass[],
  Names extends string = string,
> {
  readonly principal: Principal | undefined;
  readonly #shared: SharedRuntime;
  /** Set by `as`: the principal also applies inside other calls. */
  readonly #isChosen: boolean;

  private constructor(shared: SharedRuntime, principal: Principal | undefined, isChosen: boolean) {
    this.#shared = shared;
    this.principal = principal;
    this.#isChosen = isChosen;
    sharedRuntimes.set(this, shared);
  }

  /** Opens a runtime. Rejects with a ToolError that names an invalid option. */
  static async open<
    const All extends readonly ToolOrClass[] = readonly [],
    Provided = never,
    Env = unknown,
    Servers extends McpOptions["servers"] = undefined,
    Project extends HaftOptions["project"] = undefined,
    Org extends HaftOptions["org"] = undefined,
    const Skills extends HaftOptions["skills"] = undefined,
  >(
    options: HaftOptions<All, Provided, Env> &
      RequireAllServices<All, Provided, Project | Org> &
      OtherSources<Servers, Project, Org, Skills> = {} as never,
  ): Promise<Haft<All, CallableName<All, Servers | Project | Org | Skills>>> {
    const { checkOptions } = await import("./check-options.ts");
    checkOptions(options);
    const principal = readPrincipal(options.principal);
    const shared = await openSharedRuntime({ ...options, principal } as never);
    return new Haft<All, CallableName<All, Servers | Project | Org | Skills>>(
      shared,
      principal,
      false,
    ).#preloadOffer();
  }

  /** MCP servers of this runtime. */
  get mcp(): McpServers {
    return this.#shared.mcp;
  }

  /** Returns the same runtime for another principal. */
  as(principal: Principal): Haft<All, Names> {
    // JS callers may pass undefined: do not fall back to the default principal.
    if (principal === undefined) {
      const message =
        'haft.as() requires the principal of the caller, such as { agent: "clerk", allow: ["get_*"] }.';
      throw new ConfigurationError("invalid_config", message);
    }
    return new Haft(this.#shared, readPrincipal(principal), true);
  }

  /** Calls a tool by name, or by its definition for a typed call. Throws a ToolError. */
  async call<const Asked extends ToolNameIn<All> | (string & {}) | ToolOrClass>(
    tool: Asked & CheckedToolName<Asked, Names>,
    input: TypesOf<Asked, All>["input"],
    options: SingleCallOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<TypesOf<Asked, All>["output"]> {
    const name = calledToolName(tool);
    checkCallOptions("call", options);
    const isClosed = this.#shared.closed;
    if (isClosed || options.signal?.aborted) {
      await this.#recordLateCall(name, input, options);
      throw isClosed ? runtimeClosedError(name) : callCancelledError(name);
    }
    const effect = this.#shared.tools.call(name, input, this.#withPrincipal(options));
    return (await this.#run(effect, valueOrCancelled(name), options.signal)) as TypesOf<Asked, All>["output"];
  }

  /** Calls a tool described by an envelope. Never throws. */
  execute(given: ToolInput, options: SingleCallOptions = {}): Promise<ToolOutput> {
    const input = readEnvelope(given);
    const wrong = callOptionsError("execute", options);
    if (wrong !== undefined) return Promise.resolve(refusedOutput(input, wrong.failure));
    if (this.#shared.closed) {
      const refused = refusedOutput(input, runtimeClosedError(input.toolName).failure);
      return this.#recordLateCall(input.toolName, input.arguments, options).then(() => refused);
    }
    return forkInRuntime(
      this.#shared,
      this.#shared.tools.execute(input, this.#withPrincipal(options)),
      valueOrThrow,
    );
  }

  /** Makes all calls of one model message and returns one reply per id, in order. Failures are replies. */
  turn(calls: readonly RawCall[], options: TurnOptions = {}): Promise<readonly Reply[]> {
    const wrong = turnOptionsProblem("turn", calls, options);
    if (wrong !== undefined) return Promise.reject(new ConfigurationError("invalid_config", wrong));
    const mine = this.#shared.closed ? { ...options, signal: AbortSignal.abort() } : options;
    return forkInRuntime(
      this.#shared,
      this.#shared.tools.turn(calls, this.#withPrincipal(mine)),
      valueOrThrow,
    );
  }

  /**
   * Reads and validates the calls of a model message. A call runs only after `result.tool.run()` or
   * `result.reply()`.
   */
  hydrate(calls: readonly RawCall[], options: TurnOptions = {}): Promise<readonly HydrationResult[]> {
    const wrong = turnOptionsProblem("hydrate", calls, options);
    if (wrong !== undefined) return Promise.reject(new ConfigurationError("invalid_config", wrong));
    if (this.#shared.closed) return Promise.reject(runtimeClosedError("hydrate"));
    const goOn = (effect: Effect.Effect<Reply, ToolError>, tool: string): Promise<Reply> => {
      if (this.#shared.closed) return Promise.reject(runtimeClosedError(tool));
      if (options.signal?.aborted) return Promise.reject(callCancelledError(tool));
      return this.#run(effect, valueOrCancelled(tool), options.signal);
    };
    return this.#run(this.#shared.tools.hydrate(calls, this.#withPrincipal(options), goOn), valueOrThrow);
  }

  /**
   * Runs an agent until it answers. If the model fails, the error's `response` has the conversation so far.
   */
  run<Output = unknown>(
    agent: Agent<Output>,
    input?: RunInput,
    options: RunOptions = {},
  ): Promise<AgentResponse<Output>> {
    return this.#runAgent(agent, input, options);
  }

  /** Runs an agent and streams its events. */
  stream<Output = unknown>(
    agent: Agent<Output>,
    input?: RunInput,
    options: RunOptions = {},
  ): AgentStream<Output> {
    return agentStream(
      (tell, signal) => this.#runAgent(agent, input, { ...options, tell, signal }),
      options.signal,
    );
  }

  /** Submits a run, or a schedule of runs, to the workers of the fleet. */
  async submit(agent: Agent, input: RunInput, options: SubmitOptions = {}): Promise<SubmittedRun> {
    return await this.#fleet().submit(this.#caller(), agent, input, options);
  }

  /** Waits until a submitted run has ended or is pending. */
  async wait<Output = unknown>(
    runId: string,
    options: WaitOptions<Output> = {},
  ): Promise<AgentResponse<Output>> {
    return (await this.#fleet().wait(this.#caller(), runId, options)) as AgentResponse<Output>;
  }

  /** Streams the recorded events of a submitted run. */
  follow(runId: string, options: Pick<WaitOptions, "signal"> = {}): AsyncIterable<FleetEvent> {
    return this.#fleet().follow(this.#caller(), runId, options);
  }

  /** Cancels a submitted run, or deletes a schedule. */
  async cancel(runId: string, options: { readonly by?: string } = {}): Promise<CancelResult> {
    return await this.#fleet().cancel(this.#caller(), runId, options.by);
  }

  /**
   * Opens a session for an external loop. The same agent, user and tenant find it again by its id, in any
   * process.
   */
  session(options: SessionOptions = {}): Session<All> {
    const read = readSessionOptions(options, this.principal, () => this.#shared.tools.newId("session"));
    return new Session<All>(this.#shared, read, () => this.#shared.offers.get(read.principal, this.#now()));
  }

  /** Selects the visible tools that match a query best. */
  async pick(query: unknown, options: PickOptions = {}): Promise<readonly PickedTool[]> {
    const { pickOffered } = await import("./search-offer.ts");
    return await Effect.runPromise(pickOffered(this.#asker(), query, options));
  }

  /** Searches visible tools, with confidence, and the tools for each part of a compound query. */
  async search(query: unknown, options: SearchOptions = {}): Promise<ToolSearchResults> {
    const { searchOffered: searchFor } = await import("./search-offer.ts");
    return searchFor(this.#asker(), query, options);
  }

  /** Resumes a pending call once, with this decision or the recorded one. */
  async resume(approvalId: string, decision?: ApprovalDecision, options: ResumeOptions = {}): Promise<Reply> {
    checkCallOptions("resume", options);
    if (this.#shared.closed) throw runtimeClosedError(approvalId);
    return await this.#run(
      this.#shared.tools.resume(approvalId, decision, this.#withPrincipal(options)),
      valueOrThrow,
    );
  }

  /**
   * Records whether a call of this principal's user and tenant took effect. Without a finding, the tool's
   * `reconcile` decides.
   */
  async settle(callId: string, finding?: SettlementFinding): Promise<LedgerEntry> {
    const { checkSettlementFinding, isOwnEntry } = await import("./caller-queries.ts");
    checkSettlementFinding(finding);
    if (this.#shared.closed) throw runtimeClosedError(callId);
    const by = finding?.by ?? this.principal?.user ?? this.principal?.agent;
    const found = finding === undefined ? undefined : { ...finding, by };
    return await this.#run(
      this.#shared.tools.settle(callId, found, isOwnEntry(this.principal)),
      valueOrThrow,
    );
  }

  /** Starts an OAuth sign-in for this principal. Pass the callback to `finishSignIn` within 10 minutes. */
  beginSignIn(credential: string): Promise<SignIn> {
    return this.#run(this.#shared.credentials.beginSignIn(credential, this.principal), valueOrThrow);
  }

  finishSignIn(answer: SignInAnswer): Promise<void> {
    const { principal = this.principal } = answer;
    return this.#run(this.#shared.credentials.finishSignIn({ ...answer, principal }), valueOrThrow);
  }

  /** Returns the tools that this principal's model may be shown, in a vendor's format. */
  offer<F extends Format = "openai">(options?: OfferOptions<F>): FormattedOffer<F>;
  /** Selects tools that match a query within a token budget. The search is loaded on first use. */
  offer<F extends Format = "openai">(options: QueriedOfferOptions<F>): Promise<FormattedOffer<F>>;
  offer<F extends Format = "openai">(
    options: OfferOptions<F> | QueriedOfferOptions<F> = {},
  ): FormattedOffer<F> | Promise<FormattedOffer<F>> {
    checkOfferOptions(options);
    const offer = this.#currentOffer();
    const format = (options.format ?? "openai") as F;
    const { maxTokens, query } = options;
    checkOfferBudget(maxTokens, query);
    if (maxTokens === undefined) return formatOffer(offer, format);
    if (query === undefined) return fitOfferToBudget(offer, format, maxTokens);
    return this.#run(
      Effect.map(rankToolNames(this.#shared.registry, offer, query), (first) =>
        fitOfferToBudget(offer, format, maxTokens, first),
      ),
      valueOrThrow,
    );
  }

  register(tool: ToolOrClass, place?: ToolPlace): string {
    const tools = toTools([tool]);
    const { key } = this.#shared.registry.register(tools[0]!, place);
    return key;
  }

  unregister(key: string): boolean {
    return this.#shared.registry.unregister(key);
  }

  get(name: string): ToolSpec | undefined {
    return this.#shared.registry.get(name)?.tool.spec;
  }

  /** All tools by full name. Unknown filter fields are rejected. */
  list(filter?: ToolFilter): readonly ListedTool[] {
    return this.#shared.registry.list(filter).map(toListed);
  }

  /** Explains which tool a name resolves to, and what it shadows. */
  explain(name: string): Explanation {
    return this.#shared.registry.explain(name);
  }

  /** Checks the policy and the principal against the registered tools. */
  checkPolicy(): readonly PolicyProblem[] {
    return this.#shared.policyWatch.problems();
  }

  /**
   * Ledger entries of this principal's user and tenant, oldest first, redacted. `openLedger` reads those of
   * all users.
   */
  async log(query?: LedgerQuery): Promise<readonly LedgerEntry[]> {
    const { checkQuery, entriesOf } = await import("./caller-queries.ts");
    checkQuery("log", query);
    return await this.#run(entriesOf(this.#shared.ledger, this.principal, query), valueOrThrow);
  }

  /** Approval requests about calls of this principal. */
  async approvals(query?: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    const { checkQuery } = await import("./caller-queries.ts");
    checkQuery("approvals", query);
    return await this.#run(approvalsOfCaller(this.#shared.ledger, this.principal, query), valueOrThrow);
  }

  /** Runs of this principal's agents, newest first. */
  async runs(query?: RunQuery): Promise<readonly RunSummary[]> {
    const { checkQuery, runsOfCaller } = await import("./caller-queries.ts");
    checkQuery("runs", query);
    return await this.#run(runsOfCaller(this.#shared.ledger, this.principal, query), valueOrThrow);
  }

  /** Cancels a run and voids its open approval requests. */
  async giveUp(runId: string, options: { readonly by?: string } = {}): Promise<CancelResult> {
    const { cancelRunOfCaller } = await import("./caller-queries.ts");
    return await this.#run(
      cancelRunOfCaller(this.#shared.ledger, this.principal, runId, options.by),
      valueOrThrow,
    );
  }

  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    if (!eventNames.includes(name)) {
      throw new ConfigurationError(
        "invalid_config",
        `Unknown event "${name}".${suggestName(name, eventNames)} The events are ${eventNames.join(", ")}.`,
      );
    }
    return this.#shared.events.on(name, listener);
  }

  /** Stops accepting calls, waits for running ones, and releases all resources. */
  async close(): Promise<void> {
    this.#shared.closed = true;
    await Effect.runPromise(Fiber.awaitAll(this.#shared.inFlight));
    await this.#shared.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #runAgent<Output>(
    agent: Agent<Output>,
    input: RunInput | undefined,
    options: AgentRunOptions,
  ): Promise<AgentResponse<Output>> {
    const agents = await this.#shared.agents();
    if (this.#shared.closed) throw runtimeClosedError("run");
    return await this.#run(agents.run(agent, input, this.#withPrincipal(options)), valueOrThrow);
  }

  /** Inside a tool's code, calls use that tool's caller, unless the principal was chosen with `as`. */
  #withPrincipal<Options extends CallerOptions>(options: Options): Options {
    if (options.principal !== undefined) return options;
    const isInside = !this.#isChosen && this.#shared.tools.isInside(options);
    return isInside ? options : { ...options, principal: this.principal };
  }

  /** Undefined inside a tool's code, where the tool's caller applies. */
  #caller(): Principal | undefined {
    return this.#withPrincipal<CallerOptions>({}).principal;
  }

  #fleet(): FleetRuns {
    const { fleet, closed: isClosed } = this.#shared;
    if (isClosed) throw runtimeClosedError("fleet");
    if (fleet !== undefined) return fleet;
    const message =
      "This runtime has no fleet. Open it with Haft.open({ fleet: fleet() }), fleet of haft/fleet.";
    throw new ConfigurationError("invalid_config", message);
  }

  /** Records a call that is refused because the runtime is closed. */
  async #recordLateCall(tool: string, input: unknown, options: SingleCallOptions): Promise<void> {
    const { tools } = this.#shared;
    const mine = { ...this.#withPrincipal(options), signal: AbortSignal.abort() };
    await forkInRuntime(
      this.#shared,
      tools.turn([{ id: tools.newId("call"), tool, input }], mine),
      valueOrThrow,
    );
  }

  #now(): number {
    return Context.get(this.#shared.tools.context, Clock.Clock).currentTimeMillisUnsafe();
  }

  #currentOffer(): Offer {
    return this.#shared.offers.get(this.principal, this.#now());
  }

  /** Prepares the offer for the first model request. Errors appear when the offer is used. */
  #preloadOffer(): this {
    try {
      toolsInOffer(this.#currentOffer());
    } catch {}
    return this;
  }

  #asker(): OfferSearchContext {
    const { registry, offers } = this.#shared;
    return { registry, offers, principal: this.principal, now: this.#now() };
  }

  #run<A, E>(
    effect: Effect.Effect<A, E>,
    settle: (exit: Exit.Exit<A, E>) => A,
    signal?: AbortSignal,
  ): Promise<A> {
    return runInRuntime(this.#shared, effect, settle, signal);
  }
}
