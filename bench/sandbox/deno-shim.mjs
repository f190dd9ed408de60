// Runs one program in a Deno child process, with lines of JSON in both directions.
const lines = (async function* () {
  let rest = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop();
    yield* parts;
  }
})();
const write = (value) => Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
const { source, input } = JSON.parse((await lines.next()).value);
const waiting = [];
const tools = {
  f: (given) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      write({ call: given ?? {} });
    }),
};
(async () => {
  for await (const line of lines) waiting.shift()(JSON.parse(line));
})();
const program = new (async () => {}).constructor("input", "tools", source);
write({ value: (await program(input, tools)) ?? null });
Deno.exit(0);
