import { acceptedContent, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { capabilitiesOf, type ToolFixture, text } from "./fixture.ts";
import { askFor, askForRoots, askModel, askToConfirm, sealed } from "./questions.ts";

const asksForName = (name: string, description: string): ToolFixture => ({
  name,
  description,
  call: (_, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "user_name");
    if (given !== undefined) return text(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: askFor("What is your name?", "name") } });
  },
});

const confirms = (name: string, description: string): ToolFixture => ({
  name,
  description,
  call: async (_, { mcpReq }) => {
    const state = mcpReq.requestState<{ readonly round: number }>();
    if (state?.round === 1 && acceptedContent(mcpReq.inputResponses, "confirm") !== undefined)
      return text("state-ok");
    return inputRequired({
      inputRequests: { confirm: askToConfirm("Please confirm", "ok") },
      requestState: await sealed.mint({ round: 1 }),
    });
  },
});

/** Tools that need input from the client in the next round of the same call. */
export const inputTools: readonly ToolFixture[] = [
  asksForName("test_input_required_result_elicitation", "Asks for a name, then greets."),
  {
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital.",
    call: (_, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "capital_question");
      if (answer.kind === "sampling") return text(JSON.stringify(answer.result.content));
      const question = askModel("What is the capital of France?");
      return inputRequired({ inputRequests: { capital_question: question } });
    },
  },
  {
    name: "test_input_required_result_list_roots",
    description: "Asks the client for its roots.",
    call: (_, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "client_roots");
      if (answer.kind === "roots") return text(answer.roots.map(({ uri }) => uri).join(" "));
      return inputRequired({ inputRequests: { client_roots: askForRoots() } });
    },
  },
  confirms("test_input_required_result_request_state", "Keeps its state with the client."),
  confirms("test_input_required_result_tampered_state", "Refuses a state that it did not sign."),
  {
    name: "test_input_required_result_multiple_inputs",
    description: "Asks three things at once.",
    call: async (_, { mcpReq }) => {
      const user = acceptedContent(mcpReq.inputResponses, "user_name");
      const greeting = inputResponse(mcpReq.inputResponses, "greeting");
      const roots = inputResponse(mcpReq.inputResponses, "client_roots");
      if (user !== undefined && greeting.kind === "sampling" && roots.kind === "roots")
        return text(`${user.name}, ${JSON.stringify(greeting.result.content)}, ${roots.roots.length} roots`);
      return inputRequired({
        inputRequests: {
          user_name: askFor("What is your name?", "name"),
          greeting: askModel("Generate a greeting", 50),
          client_roots: askForRoots(),
        },
        requestState: await sealed.mint({ round: 1 }),
      });
    },
  },
  {
    name: "test_input_required_result_multi_round",
    description: "Asks twice, one after the other.",
    call: async (_, { mcpReq }) => {
      const round = mcpReq.requestState<{ readonly round: number }>()?.round ?? 0;
      const color = acceptedContent(mcpReq.inputResponses, "step2");
      if (round === 2 && color !== undefined) return text(`Your color is ${color.color}.`);
      const named = round === 1 && acceptedContent(mcpReq.inputResponses, "step1") !== undefined;
      return named || round === 2
        ? inputRequired({
            inputRequests: { step2: askFor("Step 2: What is your favorite color?", "color") },
            requestState: await sealed.mint({ round: 2 }),
          })
        : inputRequired({
            inputRequests: { step1: askFor("Step 1: What is your name?", "name") },
            requestState: await sealed.mint({ round: 1 }),
          });
    },
  },
  {
    name: "test_input_required_result_capabilities",
    description: "Asks only what the client says that it can answer.",
    call: (_, context) => {
      const { mcpReq } = context;
      const can = capabilitiesOf(context);
      const asked = {
        ...(can.sampling !== undefined && { greeting: askModel("Say hello") }),
        ...(can.elicitation !== undefined && { user_name: askFor("What is your name?", "name") }),
        ...(can.roots !== undefined && { client_roots: askForRoots() }),
      };
      const open = Object.keys(asked).filter(
        (key) => inputResponse(mcpReq.inputResponses, key).kind === "missing",
      );
      return open.length === 0 ? text("Nothing is left to ask.") : inputRequired({ inputRequests: asked });
    },
  },
];
