// CommonJS, because `__dirname` needs nothing that a bundler would warn about. In a bundle it is the bundle's folder, or
// there is none.
exports.here = typeof __dirname === "string" ? __dirname : undefined;
