export {
  readAgent,
  readTools,
  toAgentJson,
  type WriteAgentOptions,
  writeAgent,
} from "../tools/gram/agent-file.ts";
export type {
  AgentSpec,
  ReadAgentOptions,
  ReadAgentResult,
  ReadToolsResult,
} from "../tools/gram/agents/agent-spec.ts";
export type * from "../tools/gram/document.ts";
export { type Diagnostic, formatDiagnostic } from "../tools/gram/format-diagnostic.ts";
export { type ReadGramOptions, type ReadGramResult, readGram } from "../tools/gram/read-gram.ts";
export { type ReadSignatureResult, readSignature, signatureOfPath } from "../tools/gram/read-signature.ts";
export {
  type SchemaToSignatureOptions,
  type SchemaToSignatureResult,
  schemaToSignature,
} from "../tools/gram/schema-to-signature.ts";
export { signatureToOutputSchema, signatureToSchema } from "../tools/gram/signature-to-schema.ts";
export type { Signature, SignatureParameter, SignatureType } from "../tools/gram/signature-types.ts";
export { type ValidateGramOptions, validateGram } from "../tools/gram/validate-gram.ts";
export { type WriteGramOptions, writeGram } from "../tools/gram/write-gram.ts";
