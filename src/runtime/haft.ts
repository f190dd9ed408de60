import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import { type AgentStream, agentStream } from "../agent/agent-stream.ts";
import type { AgentRunOptions } from "../agent/read-run.ts";
import type { RunOptions } from "../agent/run-options.ts";
import { readEnvelope, refusedOutput, type ToolInput, type ToolOutput } from "../call/envelope.ts";
import type { OneCallOptions, ResumeOptions, TurnOptions } from "../call/tools-service.ts";
import type { Explanation } from "../catalog/explain.ts";
import { type ListedTool, type ToolFilter, toListed } from "../catalog/filter.ts";
import type { Offer } from "../catalog/offer/offer.ts";
import type { Place } from "../catalog/place.ts";
import type { SignIn, SignInAnswer } from "../credentials/oauth/sign-in.ts";
import type { Format } from "../dialects/formats.ts";
import { lookAhead } from "../dialects/schema/needs.ts";
import type { Picked, PickOptions } from "../selection/pick-options.ts";
import type { ToolSearch } from "../selection/search.ts";
import type { SearchOptions } from "../selection/search-tools.ts";
import type { Toolish } from "../tool/decorator.ts";
import type { Agent, AgentResponse, RunInput } from "../words/agent.ts";
import type { ApprovalDecision, ApprovalQuery, ApprovalRecord } from "../words/approval.ts";
import type { RawCall } from "../words/call.ts";
import { ConfigurationError, type ToolError } from "../words/errors.ts";
import { type EventName, eventNames, type Listener } from "../words/event.ts";
import type { FleetEvent, FleetRuns, SubmitOptions, SubmittedRun, WaitOptions } from "../words/fleet.ts";
import type { HydrationResult } from "../words/hydration.ts";
import type { LedgerEntry, LedgerQuery } from "../words/ledger.ts";
import type { Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { GivenUp, RunQuery, RunSummary } from "../words/run-book.ts";
import type { ToolSpec } from "../words/spec.ts";
import { budgetedOffering } from "./budgeted-offering.ts";
import { nameOf } from "./call-tool.ts";
import { cancelled, closed, orCancelled, orThrow } from "./cancelled.ts";
import type { McpDoor } from "./mcp-door.ts";
import type { McpOptions } from "./mcp-options.ts";
import {
  checkBudget,
  checkOffer,
  type Offering,
  type OfferOptions,
  type QueriedOfferOptions,
  toOffering,
} from "./offering.ts";
import { fitting } from "./offers-layer.ts";
import { openShared } from "./open-shared.ts";
import { type AllServices, type HaftOptions, toTools } from "./options.ts";
import { askedOf, giveUpRun, runsOf } from "./own-records.ts";
import { checkOptions } from "./read-options.ts";
import { readPrincipal } from "./read-principal.ts";
import { checkCall, checkQuery, refuseCall, refuseTurn } from "./refuse-call.ts";
import { forkIn, runIn } from "./run-in.ts";
import type { Asker } from "./search-offer.ts";
import { readSession, type SessionOptions } from "./session/session-options.ts";
import { Session } from "./session.ts";
import { type Shared, sharedBy } from "./shared.ts";
import type { CallableName, Checked, NameIn, OtherSources, TypesOf } from "./tool-types.ts";

type Mine = Pick<OneCallOptions, "principal" | "parent">;

/** The promise door: one runtime, seen by one principal. */
export class Haft<All extends readonly Toolish[] = readonly Toolish[], Names extends string = string> {
  readonly principal: Principal | undefined;
  readonly #shared: Shared;
  /** Made by `as`: its principal was chosen, and counts inside of other calls too. */
  readonly #isChosen: boolean;

  private constructor(shared: Shared, principal: Principal | undefined, isChosen: boolean) {
    this.#shared = shared;
    this.principal = principal;
    this.#isChosen = isChosen;
    sharedBy.set(this, shared);
  }

  /** Opens a runtime. Rejects with one ToolError that names whatever is wrong with the options. */
  static async open<
    const All extends readonly Toolish[] = readonly [],
    Provided = never,
    Env = unknown,
    Servers extends McpOptions["servers"] = undefined,
    Project extends HaftOptions["project"] = undefined,
    Org extends HaftOptions["org"] = undefined,
    const Skills extends HaftOptions["skills"] = undefined,
  >(
    options: HaftOptions<All, Provided, Env> &
      AllServices<All, Provided, Project | Org> &
      OtherSources<Servers, Project, Org, Skills> = {} as never,
  ): Promise<Haft<All, CallableName<All, Servers | Project | Org | Skills>>> {
    checkOptions(options);
    const principal = readPrincipal(options.principal);
    const shared = await openShared({ ...options, principal } as never);
    return new Haft(shared, principal, false);
  }

  /** MCP servers whose tools this runtime has. */
  get mcp(): McpDoor {
    return this.#shared.mcp;
  }

  /** The same runtime for another caller. */
  as(principal: Principal): Haft<All, Names> {
    // Without types nothing may come, and nothing is nobody, not whoever opened the runtime.
    if (principal === undefined) {
      const message =
        'haft.as() takes the principal who is calling, such as { agent: "clerk", allow: ["get_*"] }.';
      throw new ConfigurationError("invalid_config", message);
    }
    return new Haft(this.#shared, readPrincipal(principal), true);
  }

  /**
   * Calls a tool by its name, or by the tool or class itself, which then types the call. The value, or one thrown
   * ToolError. Where every tool is known to the compiler, a misspelled name does not compile.
   */
  async call<const Asked extends NameIn<All> | (string & {}) | Toolish>(
    tool: Asked & Checked<Asked, Names>,
    input: TypesOf<Asked, All>["input"],
    options: OneCallOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<TypesOf<Asked, All>["output"]> {
    const name = nameOf(tool);
    checkCall("call", options);
    const isClosed = this.#shared.closed;
    if (isClosed || options.signal?.aborted) {
      await this.#decline(name, input, options);
      throw isClosed ? closed(name) : cancelled(name);
    }
    const effect = this.#shared.tools.call(name, input, this.#mine(options));
    return (await this.#run(effect, orCancelled(name), options.signal)) as TypesOf<Asked, All>["output"];
  }

  /** The same in an envelope. Never throws. */
  execute(given: ToolInput, options: OneCallOptions = {}): Promise<ToolOutput> {
    const input = readEnvelope(given);
    const wrong = refuseCall("execute", options);
    if (wrong !== undefined) return Promise.resolve(refusedOutput(input, wrong.failure));
    if (this.#shared.closed) {
      const refused = refusedOutput(input, closed(input.toolName).failure);
      return this.#decline(input.toolName, input.arguments, options).then(() => refused);
    }
    return forkIn(this.#shared, this.#shared.tools.execute(input, this.#mine(options)), orThrow);
  }

  /**
   * All calls of one model message: replies in the model's order, one for each id. Whatever becomes of a call is
   * in its reply; it rejects only when it is given no list of calls, or options that mean nothing.
   */
  turn(calls: readonly RawCall[], options: TurnOptions = {}): Promise<readonly Reply[]> {
    const wrong = refuseTurn("turn", calls, options);
    if (wrong !== undefined) return Promise.reject(new ConfigurationError("invalid_config", wrong));
    const mine = this.#shared.closed ? { ...options, signal: AbortSignal.abort() } : options;
    return forkIn(this.#shared, this.#shared.tools.turn(calls, this.#mine(mine)), orThrow);
  }

  /**
   * Reads the calls of a model message and holds them against their specs, one result for each. Nothing runs until
   * `result.tool.run()` or `result.reply()` takes a call on down the corridor.
   */
  hydrate(calls: readonly RawCall[], options: TurnOptions = {}): Promise<readonly HydrationResult[]> {
    const wrong = refuseTurn("hydrate", calls, options);
    if (wrong !== undefined) return Promise.reject(new ConfigurationError("invalid_config", wrong));
    if (this.#shared.closed) return Promise.reject(closed("hydrate"));
    const goOn = (effect: Effect.Effect<Reply, ToolError>, tool: string): Promise<Reply> => {
      if (this.#shared.closed) return Promise.reject(closed(tool));
      if (options.signal?.aborted) return Promise.reject(cancelled(tool));
      return this.#run(effect, orCancelled(tool), options.signal);
    };
    return this.#run(this.#shared.tools.hydrate(calls, this.#mine(options), goOn), orThrow);
  }

  /**
   * Lets an agent answer: its model is asked, its calls go down the corridor, and it is asked again. Rejects when the
   * model cannot be had; what was said until then is in the error's `response`.
   */
  run<Output = unknown>(
    agent: Agent<Output>,
    input?: RunInput,
    options: RunOptions = {},
  ): Promise<AgentResponse<Output>> {
    return this.#runAgent(agent, input, options);
  }

  /** The same run, told as it goes on. */
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

  /**
   * Leaves a run to the workers of the fleet: it is in the ledger, with its caller and its input, when this resolves.
   * With a `schedule`, one is submitted each time that it is due.
   */
  async submit(agent: Agent, input: RunInput, options: SubmitOptions = {}): Promise<SubmittedRun> {
    return await this.#fleet().submit(this.#caller(), agent, input, options);
  }

  /** Resolves once a submitted run is over, or waits for a person, whoever goes on with it. */
  async wait<Output = unknown>(
    runId: string,
    options: WaitOptions<Output> = {},
  ): Promise<AgentResponse<Output>> {
    return (await this.#fleet().wait(this.#caller(), runId, options)) as AgentResponse<Output>;
  }

  /** What the ledger tells of a submitted run while it goes on elsewhere. */
  follow(runId: string, options: Pick<WaitOptions, "signal"> = {}): AsyncIterable<FleetEvent> {
    return this.#fleet().follow(this.#caller(), runId, options);
  }

  /** Ends a submitted run, or a schedule, for good. */
  async cancel(runId: string, options: { readonly by?: string } = {}): Promise<GivenUp> {
    return await this.#fleet().cancel(this.#caller(), runId, options.by);
  }

  /**
   * One conversation that somebody else's loop drives: its calls share taints, budgets, approvals and a group in the
   * ledger. Found again by its id, in another process too, by the same agent, user and tenant only.
   */
  session(options: SessionOptions = {}): Session<All> {
    const read = readSession(options, this.principal, () => this.#shared.tools.newId("session"));
    return new Session<All>(this.#shared, read, () => this.#shared.offers.to(read.principal, this.#now()));
  }

  /** Which of the tools this principal may see fit a question best. */
  async pick(query: unknown, options: PickOptions = {}): Promise<readonly Picked[]> {
    const { pickFor } = await import("./search-offer.ts");
    return await Effect.runPromise(pickFor(this.#asker(), query, options));
  }

  /**
   * The same with all that is known: how likely it is that any tool fits, why none does, and which tool answers which
   * part of a question that has several.
   */
  async search(query: unknown, options: SearchOptions = {}): Promise<ToolSearch> {
    const { searchFor } = await import("./search-offer.ts");
    return searchFor(this.#asker(), query, options);
  }

  /** Goes on with a pending call, once: with this answer, or with the one that the ledger has. */
  async resume(approvalId: string, decision?: ApprovalDecision, options: ResumeOptions = {}): Promise<Reply> {
    checkCall("resume", options);
    if (this.#shared.closed) throw closed(approvalId);
    return await this.#run(this.#shared.tools.resume(approvalId, decision, this.#mine(options)), orThrow);
  }

  /** Where a person gives this principal a right; what comes back within 10 minutes goes to `finishSignIn`. */
  beginSignIn(credential: string): Promise<SignIn> {
    return this.#run(this.#shared.credentials.beginSignIn(credential, this.principal), orThrow);
  }

  finishSignIn(answer: SignInAnswer): Promise<void> {
    const { principal = this.principal } = answer;
    return this.#run(this.#shared.credentials.finishSignIn({ ...answer, principal }), orThrow);
  }

  /** What this principal's model may be shown right now, as a vendor spells it. */
  offer<F extends Format = "openai">(options?: OfferOptions<F>): Offering<F>;
  /** Within a budget of tokens, the tools that fit a question first. What searches is loaded when it is first asked. */
  offer<F extends Format = "openai">(options: QueriedOfferOptions<F>): Promise<Offering<F>>;
  offer<F extends Format = "openai">(
    options: OfferOptions<F> | QueriedOfferOptions<F> = {},
  ): Offering<F> | Promise<Offering<F>> {
    checkOffer(options);
    const offer = this.#offered();
    const format = (options.format ?? "openai") as F;
    const { maxTokens, query } = options;
    checkBudget(maxTokens, query);
    if (maxTokens === undefined) return toOffering(offer, format);
    if (query === undefined) return budgetedOffering(offer, format, maxTokens);
    return this.#run(
      Effect.map(fitting(this.#shared.registry, offer, query), (first) =>
        budgetedOffering(offer, format, maxTokens, first),
      ),
      orThrow,
    );
  }

  register(tool: Toolish, place?: Place): string {
    const tools = toTools([tool]);
    const { key } = this.#shared.registry.register(tools[0]!, place);
    lookAhead(tools);
    return key;
  }

  unregister(key: string): boolean {
    return this.#shared.registry.unregister(key);
  }

  get(name: string): ToolSpec | undefined {
    return this.#shared.registry.get(name)?.tool.spec;
  }

  /** Every tool of this runtime, by full name. A field of the filter that means nothing is refused. */
  list(filter?: ToolFilter): readonly ListedTool[] {
    return this.#shared.registry.list(filter).map(toListed);
  }

  /** Which tool answers to a name, from where, and what it shadows. */
  explain(name: string): Explanation {
    return this.#shared.registry.explain(name);
  }

  /** The ledger's rows, oldest first, redacted. */
  async log(query?: LedgerQuery): Promise<readonly LedgerEntry[]> {
    checkQuery("log", query);
    return await this.#run(this.#shared.ledger.entries(query), orThrow);
  }

  /** What persons are asked, or were, about calls of this principal. */
  async approvals(query?: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    checkQuery("approvals", query);
    return await this.#run(askedOf(this.#shared.ledger, this.principal, query), orThrow);
  }

  /** Runs of this principal's agents, newest first. */
  async runs(query?: RunQuery): Promise<readonly RunSummary[]> {
    checkQuery("runs", query);
    return await this.#run(runsOf(this.#shared.ledger, this.principal, query), orThrow);
  }

  /**
   * Ends a run that nobody will go on with. Its calls that were under way are `unknown` from then on, its open
   * questions are void, and whoever still has it is stopped.
   */
  async giveUp(runId: string, options: { readonly by?: string } = {}): Promise<GivenUp> {
    return await this.#run(giveUpRun(this.#shared.ledger, this.principal, runId, options.by), orThrow);
  }

  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    if (!eventNames.includes(name)) {
      throw new ConfigurationError(
        "invalid_config",
        `There is no event "${name}". There are ${eventNames.join(", ")}.`,
      );
    }
    return this.#shared.events.on(name, listener);
  }

  /** Takes no further calls, waits for those under way, and lets go of what the runtime holds. */
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
    if (this.#shared.closed) throw closed("run");
    return await this.#run(agents.run(agent, input, this.#mine(options)), orThrow);
  }

  /**
   * In this principal's name, unless another is named. From inside a tool's code a call is made in the name of that
   * tool's caller, not of whoever opened the runtime; a principal that the code chose with `as` still counts.
   */
  #mine<Options extends Mine>(options: Options): Options {
    if (options.principal !== undefined) return options;
    const isInside = !this.#isChosen && this.#shared.tools.isInside(options);
    return isInside ? options : { ...options, principal: this.principal };
  }

  /** Nobody from inside a tool's code: then it is that tool's caller. */
  #caller(): Principal | undefined {
    return this.#mine<Mine>({}).principal;
  }

  #fleet(): FleetRuns {
    const { fleet, closed: isClosed } = this.#shared;
    if (isClosed) throw closed("fleet");
    if (fleet !== undefined) return fleet;
    const message = "This runtime has no fleet: Haft.open({ fleet: fleet() }), with fleet of haft/fleet.";
    throw new ConfigurationError("invalid_config", message);
  }

  /** A call that comes too late is on record like any other. */
  async #decline(tool: string, input: unknown, options: OneCallOptions): Promise<void> {
    const { tools } = this.#shared;
    const mine = { ...this.#mine(options), signal: AbortSignal.abort() };
    await forkIn(this.#shared, tools.turn([{ id: tools.newId("call"), tool, input }], mine), orThrow);
  }

  #now(): number {
    return Context.get(this.#shared.tools.context, Clock.Clock).currentTimeMillisUnsafe();
  }

  #offered(): Offer {
    return this.#shared.offers.to(this.principal, this.#now());
  }

  #asker(): Asker {
    const { registry, offers } = this.#shared;
    return { registry, offers, principal: this.principal, now: this.#now() };
  }

  #run<A, E>(
    effect: Effect.Effect<A, E>,
    settle: (exit: Exit.Exit<A, E>) => A,
    signal?: AbortSignal,
  ): Promise<A> {
    return runIn(this.#shared, effect, settle, signal);
  }
}
