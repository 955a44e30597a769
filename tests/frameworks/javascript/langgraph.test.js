// The rules of every wrapper, for langgraph.
import { testWrapper } from "./contract.js";

await testWrapper("langgraph");
