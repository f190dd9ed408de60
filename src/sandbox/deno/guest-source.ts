/**
 * First part of every Deno guest. Captures built-ins before the program can change them, and keeps the token
 * private.
 */
export const guestPrelude = String.raw`
const { stdin, stdout, inspect } = Deno;
const { apply } = Reflect;
const { stringify, parse } = JSON;
const Bytes = Uint8Array;
const typed = Object.getPrototypeOf(Bytes.prototype);
const lengthOf = Object.getOwnPropertyDescriptor(typed, "byteLength").get;
const bufferOf = Object.getOwnPropertyDescriptor(typed, "buffer").get;
const encoder = new TextEncoder();
const { encode } = encoder;
const { writeSync } = stdout;
const text = String;
const [slice, split, exec] = ["".slice, "".split, /x/.exec];

const writeWhole = (line) => {
  const bytes = apply(encode, encoder, [line]);
  const length = apply(lengthOf, bytes, []);
  const buffer = apply(bufferOf, bytes, []);
  for (let at = 0; at < length; ) at += apply(writeSync, stdout, [new Bytes(buffer, at)]);
};

const readLine = (isLast) => {
  const decoder = new TextDecoder();
  let line = "";
  const chunk = new Bytes(isLast ? 65536 : 1);
  for (;;) {
    const count = stdin.readSync(chunk);
    if (count === null) return line;
    const part = decoder.decode(new Bytes(chunk.buffer, 0, count), { stream: true });
    if (!isLast && part === "\n") return line;
    line += part;
  }
};

const token = readLine(false);
// The program may have left the line before unfinished.
const frame = (kind, payload) => writeWhole("\n" + token + " " + kind + " " + payload + "\n");

let isOver = false;
const conclude = (kind, payload) => {
  if (isOver) return;
  isOver = true;
  frame(kind, payload);
};
const giveJson = (json, order) => {
  if (apply(lengthOf, apply(encode, encoder, [json]), []) > order.resultBytes) conclude("long", "null");
  else conclude("value", json);
};

let logged = 0;
const logAs = (level, message, order) => {
  if (logged > order.logBytes) return;
  const remaining = order.logBytes - logged;
  logged += message.length + 1;
  const isCut = message.length > remaining;
  frame("log", stringify({ level, text: isCut ? apply(slice, message, [0, remaining]) : message, isCut }));
};
`;

export const denoGuestSource = `${guestPrelude}
const head = "export default async (input) => {";
${String.raw`
frame("ready", "null");
const order = parse(readLine(true));

const say = (level) => (...words) => {
  let line = "";
  for (let at = 0; at < words.length; at++)
    line += (at === 0 ? "" : " ") + (typeof words[at] === "string" ? words[at] : inspect(words[at]));
  logAs(level, line, order);
};
for (const name of ["log", "info", "debug", "dir", "table"]) console[name] = say("log");
console.warn = say("warn");
for (const name of ["error", "trace"]) console[name] = say("error");
console.assert = (holds, ...words) => { if (!holds) console.error("Assertion failed", ...words); };

const media = order.language === "typescript" ? "application/typescript" : "application/javascript";
const url = URL.createObjectURL(new Blob([head + order.source + "\n}"], { type: media }));

const placed = /:(\d+):(\d+)\)?$/;
const tell = (thrown) => {
  let [name, message, stack] = ["Error", "", ""];
  try {
    if (typeof thrown === "object" && thrown !== null) [name, message, stack] = [text(thrown.name), text(thrown.message), text(thrown.stack)];
    else message = text(thrown);
  } catch {
    message = "The program threw something that cannot be read.";
  }
  const said = apply(split, message, ["\n"]);
  const unread = name === "TypeError" && apply(exec, /^(?:SyntaxError: )?(.*)$/, [said[0]]);
  const isSyntax = name === "SyntaxError" || (apply(slice, said[0], [0, 13]) === "SyntaxError: ");
  if (isSyntax) [name, message] = ["SyntaxError", apply(split, unread ? unread[1] : said[0], [" at " + url])[0]];
  const lines = [];
  let place;
  for (const line of apply(split, stack, ["\n"])) {
    const parts = apply(split, line, [url]);
    if (parts.length < 2) continue;
    const found = apply(exec, placed, [line]);
    if (!found) continue;
    const row = +found[1];
    const column = +found[2] - (row === 1 ? head.length : 0);
    place ??= { line: row, column };
    lines[lines.length] = parts[0] + "program:" + row + ":" + column + (apply(slice, line, [-1]) === ")" ? ")" : "");
  }
  let kept = "";
  for (let at = 0; at < lines.length && at < 20; at++) kept += "\n" + lines[at];
  conclude("error", stringify({ name, message, ...place, ...(isSyntax || kept === "" ? {} : { stack: name + ": " + message + kept }) }));
};

addEventListener("error", (event) => { event.preventDefault(); tell(event.error); });
addEventListener("unhandledrejection", (event) => { event.preventDefault(); tell(event.reason); });
addEventListener("beforeunload", () => {
  conclude("error", stringify({ name: "Error", message: "The program waits for a promise that never settles." }));
});

// Not awaited: Deno would report an error of its own if the program never finishes.
(async () => {
  try {
    const run = (await import(url)).default;
    const value = await run(order.input);
    const json = stringify(value);
    giveJson(json === undefined ? "null" : json, order);
  } catch (thrown) {
    tell(thrown);
  }
})();
`}`;
