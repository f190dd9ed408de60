import { attacks } from "../attack.ts";

export const denoFunctions = attacks(
  "Deno's own functions, file URLs, FFI",
  { on: "deno -A" },
  {
    "reading a file": { harm: "secret", source: `return await Deno.readTextFile(input.secretFile);` },
    "reading a variable": { harm: "secret", source: `return Deno.env.get(input.variable);` },
    "fetching a file URL": {
      harm: "secret",
      source: `return await (await fetch("file://" + input.secretFile)).text();`,
    },
    "importing a file as JSON": {
      harm: "secret",
      source: `return (await import("file://" + input.secretFile, { with: { type: "json" } })).default;`,
    },
    "a link out of its folder": {
      harm: "secret",
      source: `await Deno.symlink(input.secretFile, "link-" + input.mark); return await Deno.readTextFile("link-" + input.mark);`,
    },
    "another program": {
      harm: "secret",
      source: `return new TextDecoder().decode(new Deno.Command("/bin/cat", { args: [input.secretFile] }).outputSync().stdout);`,
    },
    "a function of libc": {
      harm: "secret",
      source: `
      const libc = Deno.dlopen("libc.so.6", { getenv: { parameters: ["buffer"], result: "pointer" } });
      const name = new TextEncoder().encode(input.variable + "\\0");
      return new Deno.UnsafePointerView(libc.symbols.getenv(name)).getCString();`,
    },
    "a worker with more rights": {
      harm: "secret",
      source: `
      const code = "postMessage(Deno.readTextFileSync(" + JSON.stringify(input.secretFile) + "))";
      const worker = new Worker("data:text/javascript," + encodeURIComponent(code), {
        type: "module",
        deno: { permissions: { read: true } },
      });
      return await new Promise((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = (event) => resolve(event.message);
      });`,
    },
    "writing a file": { harm: "write", source: `Deno.writeTextFileSync(input.writeFile, "x"); return 1;` },
  },
);
