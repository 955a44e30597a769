// The rules of every wrapper, for ai_sdk_v7.
import { testWrapper } from "./contract.js";

await testWrapper("ai_sdk_v7");
