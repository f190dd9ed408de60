import type { Requirement } from "./requirement.ts";

/** S0: tools as a service on Effect. */
export const toolService: readonly Requirement[] = [
  {
    id: "S0.1",
    sentence:
      "A tool is metadata a model can choose by and one implementation of an open tagged union: an Effect that may need services, HTTP with mappings of input and output, and further kinds added without touching the executor.",
    status: "open",
    reason: "comes with the definition of tools and the binding stage",
  },
  {
    id: "S0.2",
    sentence:
      "A toolbox holds the tools of one namespace and a workspace maps namespaces to toolboxes; a fluent builder makes one and rejects an empty namespace, an empty or slashed simple name, and a duplicate.",
    status: "open",
    reason: "comes with the catalog",
  },
  {
    id: "S0.3",
    sentence:
      "The registry merges internal (tool), org (org/ns/tool) and project (ns/tool) sources; a full name wins, a short name resolves to project, then org, then internal, an ambiguous one is an error naming the candidates, every shadowed tool gives one override warning, and explain tells which tool answers, from where, and what it shadows.",
    status: "open",
    reason: "comes with the catalog",
  },
  {
    id: "S0.4",
    sentence:
      "Running a tool by name looks it up, checks permission, decodes input, dispatches and decodes output; visibility is decided before arguments are read, rules on arguments and approval come after validation, and each way to fail is an error of its own.",
    status: "open",
    reason: "comes with the corridor",
  },
  {
    id: "S0.5",
    sentence:
      "Permission comes from the principal of the running fiber, with wildcards and named toolkits resolved; without a principal there are no tools, and a denial is its own error.",
    status: "open",
    reason: "comes with policy and the corridor",
  },
  {
    id: "S0.6",
    sentence:
      "An HTTP tool sends input as query for GET and DELETE and as a JSON body for POST, PUT and PATCH unless mapped, fills path templates, checks the status before it decodes, and turns network and HTTP errors into execution errors with the status and a bounded excerpt of the body.",
    status: "open",
    reason: "comes with HTTP tools and the guarded outgoing client",
  },
  {
    id: "S0.7",
    sentence:
      "Everything is provided as Effect layers a user composes, and services are tags a user can replace in a test.",
    status: "open",
    reason: "comes with the Effect door",
  },
  {
    id: "S0.8",
    sentence:
      "Credentials are a service that implementations can require, with named secrets and OAuth tokens per principal that refresh; they never reach a model, a ledger row, a log or an error text.",
    status: "open",
    reason: "comes with credentials",
  },
];
