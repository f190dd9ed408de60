import type { Requirement } from "./requirement.ts";

/** S2: layered execution after Tower. */
export const layeredExecution: readonly Requirement[] = [
  {
    id: "S2.1",
    sentence:
      "A tool is a service from request to response whose behavior is changed only by layers around it; nothing reaches into the tools of another level.",
    status: "open",
    reason: "comes with the layers",
  },
  {
    id: "S2.2",
    sentence:
      "A response carries the flow, continue, rewrite, final or handoff, and the turn runner honors all four.",
    status: "open",
    reason: "comes with the turn and the agent",
  },
  {
    id: "S2.3",
    sentence: "Scopes nest as run, agent, tool, base with run outermost, and the outermost final wins.",
    status: "open",
    reason: "comes with the layers",
  },
  {
    id: "S2.4",
    sentence: "The same layer value works at run, agent and tool scope.",
    status: "open",
    reason: "comes with the layers",
  },
  {
    id: "S2.5",
    sentence:
      "A tool manages its own layers: layer returns a tool, withName renames one, and an agent cannot configure a tool's internals.",
    status: "open",
    reason: "comes with the definition of tools",
  },
  {
    id: "S2.6",
    sentence:
      "Stock layers check the input schema (lenient audits and passes on, strict refuses), time out, retry, ask for approval declaratively so that nobody waits inside a layer, give run and agent context, and trace; their state is safe under parallel calls and nothing is locked while the inner call runs.",
    status: "open",
    reason: "comes with the stock layers",
  },
  {
    id: "S2.7",
    sentence: "Advanced users have a typed Env, everybody else a default one.",
    status: "open",
    reason: "comes with the layers and the runtime",
  },
  {
    id: "S2.8",
    sentence:
      "The calls of one turn run in parallel up to maxConcurrency, replies keep the model's order, and every call id gets exactly one reply, also under final, handoff, denial, failure and cancellation.",
    status: "open",
    reason: "comes with the turn",
  },
  {
    id: "S2.9",
    sentence: "A handoff to another agent is carried out by the runner.",
    status: "open",
    reason: "comes with the agent",
  },
  {
    id: "S2.10",
    sentence:
      "Function tools are typed, with schemas from Standard Schema libraries, Effect Schema or plain JSON Schema.",
    status: "open",
    reason: "comes with the definition of tools",
  },
  {
    id: "S2.11",
    sentence: "Tool outputs are JSON strings in tool messages, and errors become text only at that boundary.",
    status: "open",
    reason: "comes with the reply stage",
  },
  {
    id: "S2.12",
    sentence: "Benchmarks show what parallel execution wins and what layers cost.",
    status: "open",
    reason: "comes with the benchmarks",
  },
  {
    id: "S2.13",
    sentence: "The model call is a service too, wrapped by the same kind of layer.",
    status: "open",
    reason: "comes with the models",
  },
];
