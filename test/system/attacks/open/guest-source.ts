/**
 * A careless guest that shares its realm, modules and wire with the program. `setListener` and `say` are the wire.
 * It is sloppy on purpose: its runner can be found from a stack.
 */
export const guestSource = `
const AsyncFunction = (async () => {}).constructor;
function startProgram(order) {
  const waiting = new Map();
  let calls = 0;
  setListener((text) => {
    const { number, ok, value, message } = JSON.parse(text);
    const { resolve, reject } = waiting.get(number);
    waiting.delete(number);
    if (ok) resolve(JSON.parse(value));
    else reject(new Error(message));
  });
  const tools = {};
  for (const name of order.functions)
    tools[name] = (argument) =>
      new Promise((resolve, reject) => {
        waiting.set(calls, { resolve, reject });
        say(JSON.stringify({ kind: "call", number: calls++, name, input: JSON.stringify(argument) }));
      });
  const console = { log: (...words) => say(JSON.stringify({ kind: "log", text: words.map(String).join(" ") })) };
  return callProgram(new AsyncFunction("input", "tools", "console", order.source), order, tools, console);
}
function callProgram(program, order, tools, console) {
  return program(order.input, tools, console).then(
    (value) => say(JSON.stringify({ kind: "value", value })),
    (error) => say(JSON.stringify({ kind: "error", name: String(error.name), message: String(error.message) })),
  );
}
`;
