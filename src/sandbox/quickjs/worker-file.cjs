// CommonJS, because `__dirname` is there wherever this file is, and a bundler makes no fuss about it: in a program that
// was bundled into one file the worker is not beside it, and `undefined` says so.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** Beside this file in the sources; in the package this file is in `dist/chunks`. */
const places = [
  ["worker", "main.ts"],
  ["..", "sandbox", "quickjs-worker.js"],
];

exports.findWorkerFile = () =>
  typeof __dirname === "string"
    ? places.map((place) => join(__dirname, ...place)).find(existsSync)
    : undefined;
