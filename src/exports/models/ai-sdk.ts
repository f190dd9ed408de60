export type { AiSdkModel } from "../../models/ai-sdk/echo.ts";
export { fromAiSdk } from "../../models/from-ai-sdk.ts";
