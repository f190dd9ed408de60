export { type AiSdkModel, fromAiSdk } from "../../models/from-ai-sdk.ts";
