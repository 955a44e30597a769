import { generateText, stepCountIs, tool } from "ai-v6";
import { MockLanguageModelV3 } from "ai-v6/test";
import { aiSdkDriver } from "./ai_sdk.js";

export default aiSdkDriver({ generateText, stepCountIs, tool }, MockLanguageModelV3);
